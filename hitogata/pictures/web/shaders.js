// ---------------------------------------------------------------- shaders

const LIGHT = `
uniform highp sampler2DShadow shadows;
uniform mat4 lamp;                    // from the world to the shadow map
uniform vec3 sun;                     // towards the light
float lit(vec3 at, vec3 normal, float step) {
  vec3 c = (lamp * vec4(at + 1.5 * step * normal, 1.0)).xyz * 0.5 + 0.5;
  if (any(greaterThan(abs(c - 0.5), vec3(0.49)))) return 1.0;
  vec2 texel = 1.0 / vec2(textureSize(shadows, 0));
  float sum = 0.0;
  for (float i = -1.0; i <= 1.0; i++)
    for (float j = -1.0; j <= 1.0; j++) sum += texture(shadows, vec3(c.xy + 1.6 * vec2(i, j) * texel, c.z));
  return sum / 9.0;
}`;

const SOLID_VERTEX = `#version 300 es
layout(location = 0) in vec3 corner;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 place;   // position, radius
layout(location = 3) in vec4 turn;    // quaternion w, x, y, z
layout(location = 4) in vec3 size;
layout(location = 5) in vec4 colour;
uniform mat4 camera;
out vec3 at, across;
out vec4 tint;
vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.yzw, cross(q.yzw, v) + q.x * v); }
void main() {
  at = place.xyz + turned(turn, corner * size + normal * place.w);
  across = turned(turn, place.w > 0.0 ? normal : normal / size);
  tint = colour;
  gl_Position = camera * vec4(at, 1.0);
}`;

const SOLID_FRAGMENT = `#version 300 es
precision highp float;
in vec3 at, across;
in vec4 tint;
uniform vec3 eye, sky, floor_;
uniform float step_, fade;
out vec4 colour;
${LIGHT}
void main() {
  vec3 n = normalize(across), look = normalize(eye - at), base = pow(tint.rgb, vec3(2.2));
  if (!gl_FrontFacing) n = -n;
  float direct = max(dot(n, sun), 0.0) * lit(at, n, step_);
  float shine = pow(max(dot(n, normalize(sun + look)), 0.0), 40.0) * 0.10 * direct;
  float rim = pow(1.0 - max(dot(n, look), 0.0), 3.0) * 0.10 * (0.5 + 0.5 * n.z);
  vec3 light = mix(floor_, sky, 0.5 + 0.5 * n.z) + vec3(0.72, 0.68, 0.62) * direct + 0.16 * max(dot(n, look), 0.0);
  colour = vec4(pow(base * light + shine + rim * sky, vec3(1.0 / 2.2)), 1.0) * tint.a * fade;
}`;

const SHADOW_FRAGMENT = `#version 300 es
precision highp float;
void main() {}`;

// Lines: four corners for each piece, moved apart on the screen.
const LINE_VERTEX = `#version 300 es
layout(location = 0) in vec3 from;
layout(location = 1) in vec3 to;
layout(location = 2) in vec4 from_colour;
layout(location = 3) in vec4 to_colour;
layout(location = 4) in float width;
uniform mat4 camera;
uniform vec2 screen;                  // pixels of the canvas
uniform float pixel;                  // of the page, in those
out vec4 tint;
out float side, half_width;
void main() {
  vec4 a = camera * vec4(from, 1.0), b = camera * vec4(to, 1.0);
  const float near = 0.01;            // what lies behind the eye has no place on the screen
  if (a.w < near && b.w > near) a = mix(a, b, (near - a.w) / (b.w - a.w));
  if (b.w < near && a.w > near) b = mix(b, a, (near - b.w) / (a.w - b.w));
  vec2 along = (b.xy / b.w - a.xy / a.w) * screen;
  along = length(along) > 0.0 ? normalize(along) : vec2(1.0, 0.0);
  bool end = gl_VertexID > 1;
  half_width = 0.5 * width * pixel + 0.5;     // half a pixel to fade over
  side = (gl_VertexID % 2 == 0 ? -1.0 : 1.0) * half_width;
  vec4 here = end ? b : a;
  tint = end ? to_colour : from_colour;
  vec2 shift = (vec2(-along.y, along.x) * side + along * (end ? 0.3 : -0.3)) * 2.0 / screen;
  gl_Position = here + vec4(shift * here.w, -2e-4 * here.w, 0.0);
}`;

const LINE_FRAGMENT = `#version 300 es
precision highp float;
in vec4 tint;
in float side, half_width;
uniform float fade;
out vec4 colour;
void main() {
  float alpha = fade * tint.a * clamp(half_width - abs(side), 0.0, 1.0);
  colour = vec4(tint.rgb * alpha, alpha);
}`;

// The ground: a plane with lines every metre and every 10 cm, fading into the distance.
const GROUND_VERTEX = `#version 300 es
uniform mat4 camera;
uniform vec3 origin, x_axis, y_axis, centre;
uniform float far;
out vec3 at;
out vec2 local;
void main() {
  vec2 corner = vec2(gl_VertexID % 2, gl_VertexID / 2) * 2.0 - 1.0;
  vec3 c = centre - origin;
  local = vec2(dot(c, x_axis), dot(c, y_axis)) + corner * far;
  at = origin + x_axis * local.x + y_axis * local.y;
  gl_Position = camera * vec4(at, 1.0);
}`;

const GROUND_FRAGMENT = `#version 300 es
precision highp float;
in vec3 at;
in vec2 local;
uniform vec3 centre, x_axis, y_axis, floor_, ink;
uniform float far, step_, dark;
out vec4 colour;
${LIGHT}
float lines(vec2 p, float width) {
  vec2 pixel = fwidth(p), gap = abs(fract(p - 0.5) - 0.5) / pixel;
  float dense = smoothstep(0.05, 0.3, max(pixel.x, pixel.y));  // lines too close to be told apart
  return (1.0 - clamp(min(gap.x, gap.y) - width + 0.5, 0.0, 1.0)) * (1.0 - dense);
}
void main() {
  float fade = 1.0 - smoothstep(0.25 * far, 0.95 * far, distance(at, centre));
  float grid = max(0.35 * lines(10.0 * local, 0.5), lines(local, 0.9));
  vec3 base = mix(floor_, ink, 0.48 * grid) * mix(1.0, lit(at, cross(x_axis, y_axis), step_), dark);
  colour = vec4(base, 1.0) * fade;
}`;
