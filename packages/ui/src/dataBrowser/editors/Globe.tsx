import type { MouseEvent } from "react";
import { useTranslation } from "../../i18n/TranslationContext.tsx";
import "./editors.css";

export interface Coordinates {
  latitude: number;
  longitude: number;
}

export interface GlobeProps {
  /** One point, or the corners of an area. */
  points: readonly Coordinates[];
  onChoose?: (point: Coordinates) => void;
}

/** Shows points on a world grid; clicking selects approximate coordinates. */
export function Globe({ points, onChoose }: GlobeProps) {
  const { t } = useTranslation();
  const [first] = points;
  function handleClick(event: MouseEvent<SVGSVGElement>): void {
    const { left, top, width, height } = event.currentTarget.getBoundingClientRect();
    const round = (degrees: number) => Math.round(degrees * 100) / 100;
    onChoose?.({
      latitude: round(90 - ((event.clientY - top) / height) * 180),
      longitude: round(((event.clientX - left) / width) * 360 - 180),
    });
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the two numbers are typed beside it.
    <svg
      className="globe"
      viewBox="-180 -90 360 180"
      role="img"
      aria-label={
        points.length === 1 && first
          ? t("{latitude, number}, {longitude, number}", {
              latitude: first.latitude,
              longitude: first.longitude,
            })
          : t("Area with {n, number} corners", { n: points.length })
      }
      onClick={handleClick}
      data-chooses={onChoose !== undefined || undefined}
    >
      {[-150, -120, -90, -60, -30, 0, 30, 60, 90, 120, 150].map((x) => (
        <line key={x} x1={x} x2={x} y1={-90} y2={90} data-main={x === 0 || undefined} />
      ))}
      {[-60, -30, 0, 30, 60].map((y) => (
        <line key={y} x1={-180} x2={180} y1={y} y2={y} data-main={y === 0 || undefined} />
      ))}
      <text x={-178} y={-3}>
        {t("Equator")}
      </text>
      <text x={3} y={86}>
        {t("Greenwich")}
      </text>
      {points.length > 1 && (
        <polygon points={points.map(({ latitude, longitude }) => `${longitude},${-latitude}`).join(" ")} />
      )}
      {points.length === 1 && first && <circle cx={first.longitude} cy={-first.latitude} r={4} />}
    </svg>
  );
}
