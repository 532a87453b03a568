// ---------------------------------------------------------------- what the page was given

/** Numbers packed by hitogata.pictures.quantized_arrays. */
function unpacked({ type, data, scale, offset }) {
  const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0)).buffer;
  const raw = new { i2: Int16Array, f4: Float32Array, u2: Uint16Array, u4: Uint32Array }[type](bytes);
  return scale === undefined ? raw : Float64Array.from(raw, (x, k) => x * scale + offset[k % offset.length]);
}

const row = (array, k, size = 3) => Array.from(array.subarray(k * size, (k + 1) * size));

/** "#rrggbb" and opacity as numbers from 0 to 1. */
function tint(colour, opacity = 1) {
  return [1, 3, 5].map((k) => parseInt(colour.slice(k, k + 2), 16) / 255).concat(opacity);
}

/** An actor, and where its links are at a time. */
class Actor {
  constructor(record) {
    Object.assign(this, record);
    for (const name of ["time", "position", "quat"]) this[name] = unpacked(record[name]);
    this.count = record.position.shape[1];
    for (const overlay of this.overlays)
      for (const [name, value] of Object.entries(overlay))
        if (value?.data !== undefined) overlay[name] = unpacked(value);
    this.links = [];
    this.shown = true;
  }

  /** Go to a time [s]: `frame` is the last state before it, `share` how far it is on the way to the next. */
  seek(time) {
    let low = 0, high = this.time.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.time[middle] <= time) low = middle;
      else high = middle - 1;
    }
    const next = Math.min(low + 1, this.time.length - 1), step = this.time[next] - this.time[low];
    this.frame = low;
    this.next = next;
    this.share = step > 0 ? clamp((time - this.time[low]) / step, 0, 1) : 0;
    for (let k = 0; k < this.count; k++) {
      const [a, b] = [low * this.count + k, next * this.count + k];
      this.links[k] = {
        position: mix(row(this.position, a), row(this.position, b), this.share),
        quat: blended(row(this.quat, a, 4), row(this.quat, b, 4), this.share),
      };
    }
  }

  /** A point over time, such as a marker's, now. */
  now(points) {
    return mix(row(points, this.frame), row(points, this.next), this.share);
  }

  /** A pose fixed to a link (-1: the world), now. */
  placed(link, position, quat = [1, 0, 0, 0]) {
    if (link < 0) return { position, quat };
    const at = this.links[link];
    return { position: add(at.position, turned(at.quat, position)), quat: product(at.quat, quat) };
  }

  /** Where the root is at a time, averaged over a moment, for a camera that goes along calmly. */
  root(time) {
    let sum = [0, 0, 0];
    for (const shift of [-0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3]) {
      this.seek(time + shift);
      sum = add(sum, this.links[0].position, 1 / 7);
    }
    return sum;
  }
}
