/** A line of a chart; points from left to right. */
export interface Series {
  readonly name: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

export interface Axis {
  /** With its unit. */
  readonly label: string;
  /** A scale with equal steps for equal ratios; then all values are above 0. */
  readonly isLogarithmic: boolean;
  /** Positions of its marks, instead of round numbers. */
  readonly ticks?: readonly number[];
  readonly format: (value: number) => string;
}

export interface Chart {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
}

const WIDTH = 860;
const HEIGHT = 440;
const PLOT = { left: 76, right: 600, top: 48, bottom: 380 };
const LEGEND = { left: 618, top: 60, step: 24 };

/** Colours that are distinguishable on white and on black. */
export const COLORS = ['#7f7f7f', '#009e73', '#a5762a', '#0d7dc1', '#c05fa0', '#d55e00'] as const;

const STYLE = `
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.title { font-size: 15px; font-weight: 600 }
.grid { stroke: #808080; stroke-opacity: 0.3 }
.line { fill: none; stroke-width: 2 }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } }
`;

/** Returns an SVG without a background, which follows the reader's light or dark scheme. Throws without data. */
export function drawChart({ title, x, y, series }: Chart): string {
  const points = series.flatMap((one) => one.points);
  if (points.length === 0) throw new Error(`nothing was measured for "${title}"`);
  const xAxis = layOut(
    x,
    points.map((point) => point.x),
    PLOT.left,
    PLOT.right,
  );
  const yAxis = layOut(
    y,
    points.map((point) => point.y),
    PLOT.bottom,
    PLOT.top,
  );
  const middle = (PLOT.top + PLOT.bottom) / 2;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${String(WIDTH)} ${String(HEIGHT)}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${STYLE}</style>`,
    text(PLOT.left, 26, title, 'class="title"'),
    ...xAxis.ticks.flatMap((tick) => [
      line(xAxis.place(tick), PLOT.top, xAxis.place(tick), PLOT.bottom),
      text(xAxis.place(tick), PLOT.bottom + 20, x.format(tick), 'text-anchor="middle"'),
    ]),
    ...yAxis.ticks.flatMap((tick) => [
      line(PLOT.left, yAxis.place(tick), PLOT.right, yAxis.place(tick)),
      text(PLOT.left - 8, yAxis.place(tick) + 4, y.format(tick), 'text-anchor="end"'),
    ]),
    text((PLOT.left + PLOT.right) / 2, PLOT.bottom + 46, x.label, 'text-anchor="middle"'),
    text(20, middle, y.label, `text-anchor="middle" transform="rotate(-90 20 ${String(middle)})"`),
    ...series.flatMap(({ name, points: own }, at) => {
      const color = COLORS[at % COLORS.length] ?? COLORS[0];
      const places = own.map((point) => `${pixels(xAxis.place(point.x))},${pixels(yAxis.place(point.y))}`);
      return [
        `<polyline class="line" stroke="${color}" points="${places.join(' ')}"/>`,
        ...legend(name, color, LEGEND.top + at * LEGEND.step),
      ];
    }),
    '</svg>',
    '',
  ].join('\n');
}

function legend(name: string, color: string, top: number): string[] {
  const { left } = LEGEND;
  return [
    `<path class="line" stroke="${color}" d="M${String(left)} ${String(top)}h22"/>`,
    text(left + 30, top + 4, name),
  ];
}

interface LaidOut {
  readonly ticks: readonly number[];
  place(value: number): number;
}

function layOut(axis: Axis, values: readonly number[], from: number, to: number): LaidOut {
  const least = Math.min(...values);
  const most = Math.max(...values);
  const ticks = axis.ticks ?? (axis.isLogarithmic ? logarithmicTicks(least, most) : linearTicks(most));
  const domain = [Math.min(least, ...ticks), Math.max(most, ...ticks)] as const;
  return {
    ticks,
    place: axis.isLogarithmic ? logarithmicScale(domain, [from, to]) : linearScale(domain, [from, to]),
  };
}

type Range = readonly [number, number];

/** Maps values of the domain to the range; a domain of one value maps to the middle. */
export function linearScale([least, most]: Range, [from, to]: Range): (value: number) => number {
  if (least === most) return () => (from + to) / 2;
  return (value) => from + ((value - least) / (most - least)) * (to - from);
}

export function logarithmicScale(domain: Range, range: Range): (value: number) => number {
  if (domain[0] <= 0) throw new Error('a logarithmic axis has values above 0 only');
  const scale = linearScale([Math.log(domain[0]), Math.log(domain[1])], range);
  return (value) => scale(Math.log(value));
}

const TICKS = 5;

/** Returns marks from 0 in round steps, at least to `most`. */
export function linearTicks(most: number): number[] {
  if (!(most > 0)) return [0];
  const power = 10 ** Math.floor(Math.log10(most / TICKS));
  const step = ([1, 2, 5].find((one) => one * power * TICKS >= most) ?? 10) * power;
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, at) => rounded(at * step));
}

/** Returns the powers of ten from the last one not above `least` to the first one not below `most`. */
export function logarithmicTicks(least: number, most: number): number[] {
  const first = Math.floor(Math.log10(least) + 1e-9);
  const last = Math.ceil(Math.log10(most) - 1e-9);
  return Array.from({ length: last - first + 1 }, (_, at) => rounded(10 ** (first + at)));
}

/** Rounds away the errors of binary fractions. */
function rounded(value: number): number {
  return Number(value.toPrecision(12));
}

function line(x1: number, y1: number, x2: number, y2: number): string {
  return `<path class="grid" d="M${pixels(x1)} ${pixels(y1)}L${pixels(x2)} ${pixels(y2)}"/>`;
}

function text(x: number, y: number, content: string, attributes = ''): string {
  return `<text x="${pixels(x)}" y="${pixels(y)}" ${attributes}>${escaped(content)}</text>`;
}

function pixels(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
