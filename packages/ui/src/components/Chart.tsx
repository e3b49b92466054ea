import { scaleLinear, scaleUtc } from "d3-scale";
import { area, curveMonotoneX, line } from "d3-shape";
import { type KeyboardEvent, type PointerEvent, useEffect, useId, useRef, useState } from "react";
import { useTranslation } from "../i18n/TranslationContext.tsx";
import "./Chart.css";

export interface Point {
  /** ms since 1970. */
  at: number;
  value: number;
}

export interface ChartProps {
  /** The accessible name. */
  label: string;
  points: readonly Point[];
  /** Formats a value, for example `$1,204.50`; on the axis, with the digits that tell values apart that differ by `step`. */
  format: (value: number, step?: number) => string;
  /** In CSS pixels. */
  height?: number;
  /** Starts the axis at the lowest value instead of zero: for prices, never for counts. */
  fromLowest?: boolean;
  /** The time zone of the times that are shown; that of the browser by default. */
  timeZone?: "UTC";
  /** Whether points are shown with their times; false for days and longer. */
  hasTimes?: boolean;
}

/** Padding in CSS pixels; the values are on the right, the dates below. */
const PADDING = { top: 12, bottom: 26, left: 4 };
/** Maximum width of a character, in CSS pixels. */
const CHARACTER_WIDTH = 7.5;
const DATE_ONLY: Intl.DateTimeFormatOptions = { dateStyle: "medium" };

/**
 * A line chart. The pointer and the arrow keys select single points. Screen readers get a summary of the series and
 * the selected point.
 */
export function Chart(props: ChartProps) {
  const { label, points, format, height = 220, fromLowest, timeZone, hasTimes = true } = props;
  const { t, language } = useTranslation();
  const id = useId();
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(720);
  const [activeIndex, setActiveIndex] = useState<number | undefined>(undefined);
  const hasLine = points.length > 1;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the frame is rendered with the line.
  useEffect(() => {
    if (!frame.current) return undefined;
    const observer = new ResizeObserver(
      ([entry]) => entry && setWidth(Math.max(240, entry.contentRect.width)),
    );
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, [hasLine]);
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || points.length < 2) {
    return <p className="chart-empty soft">{t("Not enough data to draw a chart yet.")}</p>;
  }
  const values = points.map(({ value }) => value);
  const [low, high] = rangeOf(values);
  const y = scaleLinear(axisRange(low, high, fromLowest), [height - PADDING.bottom, PADDING.top]);
  const ticks = axisTicks(y.ticks(4), format);
  const right = 14 + CHARACTER_WIDTH * Math.max(...ticks.map(({ text }) => text.length), 2);
  const margin = { ...PADDING, right };
  const x = scaleUtc([first.at, last.at], [margin.left, width - margin.right]);
  const path = line<Point>(
    (point) => x(point.at),
    (point) => y(point.value),
  ).curve(curveMonotoneX)([...points]);
  const filled = area<Point>(
    (point) => x(point.at),
    height - margin.bottom,
    (point) => y(point.value),
  ).curve(curveMonotoneX)([...points]);
  const span = last.at - first.at;
  // Points within minutes of each other need seconds.
  const timeStyle = span < 600_000 ? "medium" : "short";
  const zone = timeZone && { timeZone };
  const axis = hasTimes ? axisFormat(first.at, last.at, timeZone) : DATE_ONLY;
  const dates = new Intl.DateTimeFormat(language, { ...axis, ...zone });
  const exact = new Intl.DateTimeFormat(language, { ...DATE_ONLY, ...(hasTimes && { timeStyle }), ...zone });
  const point = activeIndex === undefined ? undefined : points[activeIndex];

  function handlePointerMove(event: PointerEvent) {
    const box = frame.current?.getBoundingClientRect();
    if (!box || box.width === 0) return;
    const at = x.invert(((event.clientX - box.left) / box.width) * width).getTime();
    setActiveIndex(nearestIndex(points, at));
  }
  function handleKeyDown(event: KeyboardEvent) {
    const steps: Record<string, number> = {
      ArrowLeft: -1,
      ArrowRight: 1,
      Home: -points.length,
      End: points.length,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    setActiveIndex(Math.max(0, Math.min(points.length - 1, (activeIndex ?? points.length - 1) + step)));
  }
  return (
    <figure className="chart">
      <figcaption id={`${id}-about`} className="visually-hidden">
        {t("{label}: from {first} to {last}; lowest {low}, highest {high}.", {
          label,
          first: format(first.value),
          last: format(last.value),
          low: format(low),
          high: format(high),
        })}
      </figcaption>
      <div
        ref={frame}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-describedby={`${id}-about`}
        aria-valuemin={0}
        aria-valuemax={points.length - 1}
        aria-valuenow={activeIndex ?? points.length - 1}
        aria-valuetext={`${format((point ?? last).value)}, ${exact.format((point ?? last).at)}`}
        onPointerMove={handlePointerMove}
        onPointerLeave={() => setActiveIndex(undefined)}
        onKeyDown={handleKeyDown}
        onBlur={() => setActiveIndex(undefined)}
      >
        <svg viewBox={`0 0 ${width} ${height}`} style={{ height }} aria-hidden="true">
          {ticks.map(({ tick, text }) => (
            <g key={tick}>
              <line
                className="chart-grid"
                x1={margin.left}
                x2={width - margin.right}
                y1={y(tick)}
                y2={y(tick)}
              />
              <text className="chart-text" x={width - margin.right + 8} y={y(tick) + 4}>
                {text}
              </text>
            </g>
          ))}
          <path className="chart-area" d={filled ?? ""} />
          <path className="chart-line" d={path ?? ""} />
          {[first, last].map(({ at }, i) => (
            <text
              key={i === 0 ? "first" : "last"}
              className="chart-text"
              x={i === 0 ? margin.left : width - margin.right}
              y={height - 8}
              textAnchor={i === 0 ? "start" : "end"}
            >
              {dates.format(at)}
            </text>
          ))}
          {point && (
            <g>
              <line
                className="chart-cursor"
                x1={x(point.at)}
                x2={x(point.at)}
                y1={margin.top}
                y2={height - margin.bottom}
              />
              <circle className="chart-dot" cx={x(point.at)} cy={y(point.value)} r={5} />
            </g>
          )}
        </svg>
      </div>
      <p className="chart-read number" aria-hidden="true">
        {point ? `${format(point.value)} · ${exact.format(point.at)}` : "\u00a0"}
      </p>
    </figure>
  );
}

/** The lowest and the highest value of an axis. A series that does not change is in the middle of its axis. */
export function axisRange(low: number, high: number, fromLowest = false): [number, number] {
  if (!fromLowest) {
    const bottom = Math.min(0, low);
    return [bottom, high === bottom ? bottom + 1 : high];
  }
  const margin = low === high ? Math.abs(low) * 0.1 || 1 : (high - low) * 0.08;
  return [low - margin, low === high ? high + margin : high];
}

/** The ticks of an axis with different labels. Those without one, between integers, have no line. */
export function axisTicks(
  values: readonly number[],
  format: ChartProps["format"],
): { tick: number; text: string }[] {
  const step = values.length > 1 ? Math.abs((values[1] ?? 0) - (values[0] ?? 0)) : undefined;
  const byText = new Map<string, number>();
  for (const value of values) {
    const text = format(value, step);
    if (text !== "" && !byText.has(text)) byText.set(text, value);
  }
  return [...byText].map(([text, tick]) => ({ tick, text }));
}

/** How the ends of the axis are formatted: as times within a day, with the date if it changes between them. */
export function axisFormat(from: number, to: number, timeZone?: "UTC"): Intl.DateTimeFormatOptions {
  if (to - from > 2 * 86_400_000) return DATE_ONLY;
  if (to - from < 600_000) return { timeStyle: "medium" };
  const dayOf = (at: number) =>
    timeZone ? new Date(at).toISOString().slice(0, 10) : new Date(at).toDateString();
  const isOneDay = dayOf(from) === dayOf(to);
  return isOneDay
    ? { timeStyle: "short" }
    : { month: "short", day: "numeric", hour: "numeric", minute: "2-digit" };
}

/** The lowest and highest of any number of values. */
function rangeOf(values: readonly number[]): [number, number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return [low, high];
}

/** A small inline line chart. */
export function Sparkline({ label, values }: { label: string; values: readonly number[] }) {
  if (values.length < 2) return null;
  const x = scaleLinear([0, values.length - 1], [1, 79]);
  const [low, high] = rangeOf(values);
  const y = scaleLinear([low, high || 1], [22, 2]);
  const path = line<number>(
    (_, i) => x(i),
    (value) => y(value),
  )([...values]);
  return (
    <svg className="sparkline" viewBox="0 0 80 24" role="img" aria-label={label}>
      <path className="chart-line" d={path ?? ""} />
    </svg>
  );
}

/** The index of the point nearest to a time, in points sorted by time. */
export function nearestIndex(points: readonly Point[], at: number): number {
  let [low, high] = [0, points.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((points[middle]?.at ?? 0) <= at) low = middle;
    else high = middle;
  }
  const [before, after] = [points[low], points[high]];
  return before && after && at - before.at > after.at - at ? high : low;
}
