// ---------------------------------------------------------------- WebGL
// Each frame starts empty: call solid(), line() and plane() for all there is to see, then render().

const SHADOW_SIZE = 2048, INSTANCE = 15, SEGMENT = 15;  // floats of a solid and of a piece of a line
const BEHIND = 0.45;  // opacity of overlays behind something else

class Renderer {
  constructor(canvas) {
    const gl = canvas.getContext("webgl2", { antialias: true });
    if (!gl) throw new Error("This replay needs WebGL 2, which this browser does not offer.");
    this.gl = gl;
    this.programs = {
      solid: this.program(SOLID_VERTEX, SOLID_FRAGMENT), shadow: this.program(SOLID_VERTEX, SHADOW_FRAGMENT),
      line: this.program(LINE_VERTEX, LINE_FRAGMENT), ground: this.program(GROUND_VERTEX, GROUND_FRAGMENT),
    };
    this.geometries = [];
    this.segments = { array: new Float32Array(64 * SEGMENT), count: 0, buffer: gl.createBuffer() };
    this.segments.vertices = this.attributes(this.segments.buffer, [3, 3, 4, 4, 1], 0);
    this.empty = gl.createVertexArray();
    this.planes = [];
    this.makeShadowMap();
  }

  program(vertex, fragment) {
    const gl = this.gl, program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) {
      const logs = gl.getAttachedShaders(program).map((shader) => gl.getShaderInfoLog(shader));
      throw new Error(logs.join("") + gl.getProgramInfoLog(program));
    }
    const places = {};
    for (let k = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS) - 1; k >= 0; k--) {
      const { name } = gl.getActiveUniform(program, k);
      places[name] = gl.getUniformLocation(program, name);
    }
    return { program, places };
  }

  /** Start a program; values are matrices, vectors or numbers, by name. */
  use({ program, places }, values) {
    const gl = this.gl;
    gl.useProgram(program);
    for (const [name, value] of Object.entries(values)) {
      if (!places[name]) continue;
      if (value.length === 16) gl.uniformMatrix4fv(places[name], false, value);
      else gl[`uniform${value.length ?? 1}fv`](places[name], value.length ? value : [value]);
    }
  }

  /** Attributes that change from instance to instance, packed one after another, from location `first` on. */
  attributes(buffer, sizes, first, vertices = this.gl.createVertexArray()) {
    const gl = this.gl, stride = 4 * sizes.reduce((a, b) => a + b);
    gl.bindVertexArray(vertices);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    let offset = 0;
    sizes.forEach((size, k) => {
      gl.enableVertexAttribArray(first + k);
      gl.vertexAttribPointer(first + k, size, gl.FLOAT, false, stride, offset);
      gl.vertexAttribDivisor(first + k, 1);
      offset += 4 * size;
    });
    return vertices;
  }

  makeShadowMap() {
    const gl = this.gl, texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW_SIZE, SHADOW_SIZE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    this.shadowMap = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowMap);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, texture, 0);
  }

  /** Take a geometry to the graphics card. */
  geometry({ corners, normals, faces, shell = false }) {
    const gl = this.gl, vertices = gl.createVertexArray();
    gl.bindVertexArray(vertices);
    [corners, normals].forEach((values, k) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
      gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(values), gl.STATIC_DRAW);
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, 3, gl.FLOAT, false, 0, 0);
    });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint32Array(faces), gl.STATIC_DRAW);
    const buffer = gl.createBuffer();
    this.attributes(buffer, [4, 4, 3, 4], 2, vertices);
    const geometry = { vertices, corners, buffer, indices: faces.length, shell, opaque: [], glass: [], overlay: [] };
    this.geometries.push(geometry);
    return geometry;
  }

  // ------------------------------------------------------- what is to see

  /** An overlay shows through what stands before it. */
  solid(geometry, { position, quat }, size, radius, colour, { overlay = false } = {}) {
    for (const list of [colour[3] < 1 ? "glass" : "opaque", ...(overlay ? ["overlay"] : [])])
      geometry[list].push(...position, radius, ...quat, ...size, ...colour);
  }

  line(from, to, width, colour, toColour = colour) {
    const { segments } = this;
    if ((segments.count + 1) * SEGMENT > segments.array.length) {
      const larger = new Float32Array(2 * segments.array.length);
      larger.set(segments.array);
      segments.array = larger;
    }
    segments.array.set([...from, ...to, ...colour, ...toColour, width], SEGMENT * segments.count++);
  }

  plane({ position, quat }) {
    this.planes.push({ origin: position, x_axis: turned(quat, [1, 0, 0]), y_axis: turned(quat, [0, 1, 0]) });
  }

  // ------------------------------------------------------- the picture

  /** Draw it. `light`: towards the sun, and the radius about the target within which shadows fall. */
  render({ camera, eye, target, distance }, light, theme) {
    const { gl, programs } = this, { width, height } = gl.canvas, depth = 4 * light.radius;
    const lamp = multiplied(parallel(light.radius, 0, 2 * depth), looking(add(target, light.sun, depth), target));
    const shared = { camera, lamp, eye, sun: light.sun, step_: (2 * light.radius) / SHADOW_SIZE };
    const solid = { sky: theme.sky, floor_: theme.bounce };
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.CULL_FACE);
    gl.depthMask(true);
    gl.disable(gl.BLEND);

    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowMap);
    gl.viewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(1.5, 3);
    this.use(programs.shadow, { camera: lamp });
    for (const geometry of this.geometries) this.instances(geometry, geometry.opaque);
    gl.disable(gl.POLYGON_OFFSET_FILL);

    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    this.use(programs.solid, { ...shared, ...solid, fade: 1 });
    for (const geometry of this.geometries) this.instances(geometry, geometry.opaque);

    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);  // colours are multiplied by their opacity
    const ground = { centre: target, far: 3 * distance + 4, floor_: theme.floor, ink: theme.ink, dark: theme.dark };
    gl.bindVertexArray(this.empty);
    for (const plane of this.planes) {
      this.use(programs.ground, { ...shared, ...ground, ...plane });
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }

    gl.disable(gl.CULL_FACE);
    gl.depthMask(false);
    this.upload(this.segments.buffer, this.segments.array.subarray(0, SEGMENT * this.segments.count));
    gl.bindVertexArray(this.segments.vertices);
    for (const [order, fade] of [[gl.GREATER, BEHIND], [gl.LESS, 1]]) {
      gl.depthFunc(order);
      this.use(programs.line, { camera, screen: [width, height], pixel: width / gl.canvas.clientWidth, fade });
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.segments.count);
    }

    gl.enable(gl.CULL_FACE);
    gl.depthFunc(gl.GREATER);
    this.use(programs.solid, { ...shared, ...solid, fade: BEHIND });
    for (const geometry of this.geometries) this.instances(geometry, geometry.overlay);
    gl.depthFunc(gl.LESS);
    this.use(programs.solid, { fade: 1 });
    for (const geometry of this.geometries) this.glass(geometry);

    this.segments.count = 0;
    this.planes = [];
    for (const geometry of this.geometries) Object.assign(geometry, { opaque: [], glass: [], overlay: [] });
  }

  /** Shells show their far side through the near one; of other glass only the nearest faces are seen. */
  glass(geometry) {
    const { gl } = this;
    if (geometry.shell) {
      for (const side of [gl.FRONT, gl.BACK]) gl.cullFace(side), this.instances(geometry, geometry.glass);
      return;
    }
    gl.depthMask(true);
    gl.colorMask(false, false, false, false);
    this.instances(geometry, geometry.glass);
    gl.colorMask(true, true, true, true);
    gl.depthMask(false);
    gl.depthFunc(gl.LEQUAL);
    this.instances(geometry, geometry.glass);
    gl.depthFunc(gl.LESS);
  }

  instances(geometry, values) {
    const { gl } = this;
    if (!values.length) return;
    this.upload(geometry.buffer, new Float32Array(values));
    gl.bindVertexArray(geometry.vertices);
    gl.drawElementsInstanced(gl.TRIANGLES, geometry.indices, gl.UNSIGNED_INT, 0, values.length / INSTANCE);
  }

  upload(buffer, values) {
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, buffer);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, values, this.gl.DYNAMIC_DRAW);
  }
}
