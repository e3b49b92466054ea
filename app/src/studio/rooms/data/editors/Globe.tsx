import type { MouseEvent } from "react";
import { useTranslation } from "../../../../i18n/TranslationContext.tsx";

export interface Spot {
  latitude: number;
  longitude: number;
}

/** The net of the earth without a map: where a place lies on it. Pressed, it says where; the numbers do so exactly. */
export function Globe({
  spots,
  onChoose,
}: {
  /** One is a place, several are the corners of an area. */
  spots: readonly Spot[];
  onChoose?: (spot: Spot) => void;
}) {
  const { t } = useTranslation();
  const [only] = spots;
  function choose(event: MouseEvent<SVGSVGElement>): void {
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
        spots.length === 1 && only
          ? t("At {latitude}, {longitude}", { latitude: only.latitude, longitude: only.longitude })
          : t("An area of {n} corners", { n: spots.length })
      }
      onClick={choose}
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
      {spots.length > 1 && (
        <polygon points={spots.map(({ latitude, longitude }) => `${longitude},${-latitude}`).join(" ")} />
      )}
      {spots.length === 1 && only && <circle cx={only.longitude} cy={-only.latitude} r={4} />}
    </svg>
  );
}
