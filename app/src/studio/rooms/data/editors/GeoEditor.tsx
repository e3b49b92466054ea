import { Field } from "../../../../design/Field.tsx";
import { useTranslation } from "../../../../i18n/TranslationContext.tsx";
import type { EditorProps } from "./editor.ts";
import { Globe } from "./Globe.tsx";

/** A place on earth: two numbers, and where that is. */
export function GeoEditor({ text, onText, read }: EditorProps) {
  const { t } = useTranslation();
  const [latitude = "", longitude = ""] = text.split(",").map((part) => part.trim());
  const join = (a: string, b: string) => onText(a === "" && b === "" ? "" : `${a}, ${b}`);
  const isPlace = read.problem === undefined && text.trim() !== "";
  return (
    <>
      <div className="pair">
        <Field
          label={t("Latitude")}
          inputMode="decimal"
          value={latitude}
          hint="-90 … 90"
          onChange={(event) => join(event.target.value, longitude)}
          autoComplete="off"
        />
        <Field
          label={t("Longitude")}
          inputMode="decimal"
          value={longitude}
          hint="-180 … 180"
          onChange={(event) => join(latitude, event.target.value)}
          autoComplete="off"
        />
      </div>
      {read.problem !== undefined && (
        <p className="problem" role="alert">
          {read.problem}
        </p>
      )}
      <Globe
        spots={isPlace ? [{ latitude: Number(latitude), longitude: Number(longitude) }] : []}
        onChoose={(spot) => onText(`${spot.latitude}, ${spot.longitude}`)}
      />
    </>
  );
}
