"""The time line: contacts of the feet, keyframes, the stretch that is chosen and where the motion is, as a drawing."""

from html import escape

from hitogata.motion.foot_contacts import Foot
from hitogata.motion.keyframes import Keyframe

_WIDTH, _ROW, _LEFT = 320, 14, 42
_BARS, _KEY, _NOW, _CHOSEN = "#3a8f5c", "#d9822b", "#c0392b", "#dce6f2"


def time_line(
    duration: float, now: float, feet: dict[str, Foot], keyframes: tuple[Keyframe, ...], chosen: tuple[float, float],
) -> str:  # fmt: skip
    """An SVG picture: a row for each foot, one for keyframes, times below."""
    scale = (_WIDTH - _LEFT - 8) / max(duration, 1e-9)
    height = (len(feet) + 2) * _ROW + 6

    def at(time: float) -> float:
        return _LEFT + time * scale

    parts = [f'<rect x="{at(chosen[0]):.1f}" y="0" width="{max(0.0, (chosen[1] - chosen[0]) * scale):.1f}" '
             f'height="{height - _ROW}" fill="{_CHOSEN}"/>']  # fmt: skip
    for row, (name, foot) in enumerate(feet.items()):
        y = row * _ROW + 3
        parts.append(f'<text x="2" y="{y + 9}">{escape(name)}</text>')
        for contact in foot.contacts:
            wide = max(1.5, (contact.end - contact.start) * scale)
            parts.append(f'<rect x="{at(contact.start):.1f}" y="{y}" width="{wide:.1f}" height="{_ROW - 4}" rx="2" '
                         f'fill="{_BARS}"/>')  # fmt: skip
    y = len(feet) * _ROW + 9
    parts.append(f'<text x="2" y="{y + 3}">keys</text>')
    for key in keyframes:
        x, far = at(key.time), key.fall_off * scale
        parts.append(f'<line x1="{max(_LEFT, x - far):.1f}" x2="{min(_WIDTH - 8, x + far):.1f}" y1="{y}" y2="{y}" '
                     f'stroke="{_KEY}" stroke-width="1.5"/>')  # fmt: skip
        parts.append(f'<path d="M{x:.1f} {y - 5} l5 5 l-5 5 l-5 -5 z" fill="{_KEY}"/>')
    low = height - 4
    for k in range(5):
        time = duration * k / 4
        parts.append(f'<text x="{at(time):.1f}" y="{low}" text-anchor="middle">{time:.2f}</text>')
    parts.append(f'<line x1="{at(now):.1f}" x2="{at(now):.1f}" y1="0" y2="{height - _ROW}" stroke="{_NOW}"/>')
    return (f'<svg viewBox="0 0 {_WIDTH} {height}" width="100%" role="img" aria-label="Time line" '
            f'style="font: 9px sans-serif; background: #f6f8fa; border-radius: 4px; padding: 0 4px">'
            f'{"".join(parts)}</svg>')  # fmt: skip
