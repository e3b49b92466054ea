import { Field } from "../../components/Field.tsx";
import { useTranslation } from "../../i18n/TranslationContext.tsx";
import type { EditorProps } from "./editorProps.ts";
import { Globe } from "./Globe.tsx";
import "./editors.css";

/** Edits a GeoPoint. */
export function GeoEditor({ text, onText, parsed }: EditorProps) {
  const { t } = useTranslation();
  const [latitude = "", longitude = ""] = text.split(",").map((part) => part.trim());
  const setCoordinates = (a: string, b: string) => onText(a === "" && b === "" ? "" : `${a}, ${b}`);
  const isValid = parsed.problem === undefined && text.trim() !== "";
  return (
    <>
      <div className="pair">
        <Field
          label={t("Latitude")}
          inputMode="decimal"
          value={latitude}
          hint="-90 … 90"
          onText={(text) => setCoordinates(text, longitude)}
          autoComplete="off"
        />
        <Field
          label={t("Longitude")}
          inputMode="decimal"
          value={longitude}
          hint="-180 … 180"
          onText={(text) => setCoordinates(latitude, text)}
          autoComplete="off"
        />
      </div>
      {parsed.problem !== undefined && (
        <p className="problem" role="alert">
          {parsed.problem}
        </p>
      )}
      <Globe
        points={isValid ? [{ latitude: Number(latitude), longitude: Number(longitude) }] : []}
        onChoose={(point) => onText(`${point.latitude}, ${point.longitude}`)}
      />
    </>
  );
}
