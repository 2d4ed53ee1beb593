import { describe, expect, it } from 'vitest';
import {
  COLORS,
  drawChart,
  linearScale,
  linearTicks,
  logarithmicScale,
  logarithmicTicks,
  type Chart,
} from '../../bench/chart.ts';

const CHART: Chart = {
  title: 'Cost & <size>',
  x: { label: 'prompt (KB)', isLogarithmic: true, ticks: [1, 100], format: (kb) => `${String(kb)} KB` },
  y: { label: 'CPU (ms)', isLogarithmic: false, format: String },
  series: [
    {
      name: 'one',
      points: [
        { x: 1, y: 0 },
        { x: 10, y: 5 },
        { x: 100, y: 10 },
      ],
    },
    { name: 'two', points: [{ x: 1, y: 2 }] },
  ],
};

describe('scales of a chart', () => {
  it('are linear, also downwards', () => {
    const scale = linearScale([0, 10], [380, 80]);
    expect([0, 5, 10].map(scale)).toEqual([380, 230, 80]);
  });

  it('put equal ratios at equal steps', () => {
    const scale = logarithmicScale([1, 100], [0, 200]);
    expect([1, 10, 100].map((value) => Math.round(scale(value)))).toEqual([0, 100, 200]);
  });

  it('have a middle if all values are equal', () => {
    expect(linearScale([3, 3], [0, 10])(3)).toBe(5);
  });

  it('refuse values without a logarithm', () => {
    expect(() => logarithmicScale([0, 1], [0, 1])).toThrow(/above 0/);
  });
});

describe('ticks of a chart', () => {
  it.each([
    [10, [0, 2, 4, 6, 8, 10]],
    [12, [0, 5, 10, 15]],
    [0.3, [0, 0.1, 0.2, 0.3]],
    [47, [0, 10, 20, 30, 40, 50]],
    [0, [0]],
  ])('are round up to %d', (most, ticks) => {
    expect(linearTicks(most)).toEqual(ticks);
  });

  it.each([
    [0.15, 480, [0.1, 1, 10, 100, 1_000]],
    [1, 100, [1, 10, 100]],
    [0.001, 0.001, [0.001]],
  ])('are powers of ten around %d to %d', (least, most, ticks) => {
    expect(logarithmicTicks(least, most)).toEqual(ticks);
  });
});

describe('a chart', () => {
  const svg = drawChart(CHART);

  it('draws each series from corner to corner of its values, and names it', () => {
    expect(svg).toContain('points="76,380 338,214 600,48"');
    expect(svg.match(/<polyline/g)).toHaveLength(2);
    expect(svg).toContain('>two</text>');
  });

  it('labels its axes with units, and its subject', () => {
    for (const label of ['prompt (KB)', 'CPU (ms)', '100 KB', '>10<']) expect(svg).toContain(label);
    expect(svg).toContain('<title>Cost &amp; &lt;size></title>');
  });

  it('has no background, and text for dark schemes', () => {
    expect(svg).not.toContain('<rect');
    expect(svg).toContain('prefers-color-scheme: dark');
  });

  it('is refused without measurements', () => {
    expect(() => drawChart({ ...CHART, series: [] })).toThrow(/nothing was measured for "Cost/);
  });
});

describe('colors of a chart', () => {
  function luminance(color: string): number {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const share = parseInt(color.slice(at, at + 2), 16) / 255;
      return share <= 0.040_45 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }
  function contrast(one: string, other: string): number {
    const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
  }

  it.each(COLORS)('%s is distinguishable on a light and on a dark page (WCAG 1.4.11: 3 to 1)', (color) => {
    expect(contrast(color, '#ffffff')).toBeGreaterThan(3);
    expect(contrast(color, '#0d1117')).toBeGreaterThan(3);
  });
});
