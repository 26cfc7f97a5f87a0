/** Numbers by the hour as a picture; the same numbers are in a table that readers of screens get. */
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { hourText } from './words.js';

export interface Series {
  readonly name: string;
  readonly values: readonly number[];
  /** The variable of the style sheet that has its colour. */
  readonly color: string;
  readonly isDashed?: boolean;
}

interface ChartProps {
  readonly label: string;
  readonly times: readonly string[];
  readonly series: readonly Series[];
  readonly text: (value: number) => string;
}

const HEIGHT = 180;

const colorOf = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function optionsOf(width: number, { series, text }: ChartProps): uPlot.Options {
  const axis = { stroke: colorOf('--muted'), grid: { stroke: colorOf('--line'), width: 1 }, ticks: { show: false } };
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: { y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] } },
    axes: [
      { ...axis, values: (_, times) => times.map((time) => hourText(new Date(time * 1000).toISOString())) },
      { ...axis, size: 64, values: (_, values) => values.map((value) => text(value)) },
    ],
    series: [
      {},
      ...series.map(({ name, color, isDashed }) => ({
        label: name,
        stroke: colorOf(color),
        width: 2,
        points: { show: false },
        ...(isDashed === true ? { dash: [6, 4] } : { fill: `${colorOf(color)}22` }),
      })),
    ],
  };
}

export function Chart(props: ChartProps) {
  const { label, times, series } = props;
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = place;
    if (current === null) return undefined;
    const data: uPlot.AlignedData = [
      times.map((at) => new Date(at).getTime() / 1000),
      ...series.map(({ values }) => [...values]),
    ];
    let plot: uPlot | undefined;
    const draw = () => {
      plot?.destroy();
      plot = new uPlot(optionsOf(Math.max(240, current.clientWidth), props), data, current);
    };
    draw();
    const watch = new ResizeObserver(() => {
      plot?.setSize({ width: Math.max(240, current.clientWidth), height: HEIGHT });
    });
    watch.observe(current);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    return () => {
      watch.disconnect();
      scheme.removeEventListener('change', draw);
      plot?.destroy();
    };
  }, [JSON.stringify([times, series])]);
  return (
    <figure class="chart">
      <figcaption>
        <span class="chart-title">{label}</span>
        <ul class="legend">
          {series.map(({ name, color, isDashed }) => (
            <li key={name}>
              <svg viewBox="0 0 24 8" aria-hidden="true">
                <path d="M1 4h22" class={color.slice(2)} stroke-dasharray={isDashed === true ? '5 3' : undefined} />
              </svg>
              {name}
            </li>
          ))}
        </ul>
      </figcaption>
      <div ref={place} class="plot" aria-hidden="true" />
      <Numbers {...props} />
    </figure>
  );
}

function Numbers({ label, times, series, text }: ChartProps) {
  return (
    <table class="unseen">
      <caption>{label}</caption>
      <thead>
        <tr>
          <th scope="col">Hour</th>
          {series.map(({ name }) => (
            <th scope="col" key={name}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {times.map((at, index) => (
          <tr key={at}>
            <th scope="row">{at}</th>
            {series.map(({ name, values }) => (
              <td key={name}>{text(values[index] ?? 0)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
