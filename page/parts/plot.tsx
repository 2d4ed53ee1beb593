import { useEffect, useId, useRef } from 'preact/hooks';
import UPlot from 'uplot';

import { absoluteTime } from '../format.ts';
import { theme } from '../theme.ts';
import { Table } from './table.tsx';

const HEIGHT = 180;

export interface Series {
  readonly title: string;
  /** CSS custom property with the colour. */
  readonly color: '--accent' | '--bad' | '--warn' | '--good';
  readonly values: readonly number[];
  /** Dash pattern that distinguishes series without colour. */
  readonly dash?: readonly number[];
}

interface PlotProps {
  readonly title: string;
  /** ISO times, oldest first. */
  readonly times: readonly string[];
  readonly series: readonly Series[];
  readonly format: (value: number) => string;
}

/** Values over time, as a plot and as a table. */
export function Plot({ title, times, series, format }: PlotProps) {
  const container = useRef<HTMLDivElement>(null);
  const id = useId();
  const chosen = theme.value;
  useEffect(() => {
    const element = container.current;
    if (element === null) return undefined;
    const plot = draw(element, { title, times, series, format });
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    function recolor(): void {
      plot.redraw();
    }
    scheme.addEventListener('change', recolor);
    return () => {
      observer.disconnect();
      scheme.removeEventListener('change', recolor);
      plot.destroy();
    };
  }, [times, series, chosen]);

  const rows = times.map((at, index) => ({ at, values: series.map(({ values }) => values[index] ?? 0) }));
  return (
    <figure class="plot">
      <figcaption id={id}>{title}</figcaption>
      <div ref={container} role="img" aria-labelledby={id} />
      <details>
        <summary>As a table</summary>
        <Table
          caption={title}
          rows={rows}
          rowKey={({ at }) => at}
          columns={[
            { title: 'Time', cell: ({ at }) => absoluteTime(at) },
            ...series.map(({ title: name }, index) => ({
              title: name,
              isNumber: true,
              cell: ({ values }: (typeof rows)[number]) => format(values[index] ?? 0),
            })),
          ]}
        />
      </details>
    </figure>
  );
}

function draw(element: HTMLElement, { times, series, format }: PlotProps): UPlot {
  const axis: UPlot.Axis = {
    stroke: () => resolved(element, '--muted'),
    grid: { stroke: () => resolved(element, '--line'), width: 1 },
  };
  const options: UPlot.Options = {
    width: element.clientWidth,
    height: HEIGHT,
    cursor: { y: false },
    axes: [axis, { ...axis, size: 70, values: (_plot, values) => values.map(format) }],
    scales: { y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.05 : 1] } },
    series: [
      {
        label: 'Time',
        value: (_plot, value: number | null) => (value === null ? '' : absoluteTime(value * 1000)),
      },
      ...series.map(({ title, color, dash }) => ({
        label: title,
        stroke: () => resolved(element, color),
        width: 2,
        ...(dash !== undefined && { dash: [...dash] }),
        value: (_plot: UPlot, value: number | null) => (value === null ? '' : format(value)),
      })),
    ],
  };
  const xs = times.map((at) => new Date(at).getTime() / 1000);
  return new UPlot(options, [xs, ...series.map(({ values }) => [...values])], element);
}

/** Returns the colour of a custom property in a form that a canvas accepts. */
function resolved(element: HTMLElement, name: string): string {
  element.style.color = `var(${name})`;
  const { color } = getComputedStyle(element);
  element.style.color = '';
  return color;
}
