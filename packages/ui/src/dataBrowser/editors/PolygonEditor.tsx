import { isJsonObject, type JsonValue } from "@purse/protocol";
import { TextArea } from "../../components/Field.tsx";
import { useTranslation } from "../../i18n/TranslationContext.tsx";
import type { EditorProps } from "./editorProps.ts";
import { type Coordinates, Globe } from "./Globe.tsx";

/** Edits a Polygon. */
export function PolygonEditor({ text, onText, parsed }: EditorProps) {
  const { t } = useTranslation();
  const points = parsed.problem === undefined ? cornersOf(parsed.value) : [];
  return (
    <>
      <div className="mono-field">
        <TextArea
          label={t("Corners")}
          hint={t("[[latitude, longitude], …], at least three. Leave empty to remove the value.")}
          rows={6}
          value={text}
          problem={parsed.problem}
          spellCheck={false}
          onText={onText}
        />
      </div>
      {points.length > 0 && <Globe points={points} />}
    </>
  );
}

function cornersOf(value: JsonValue): Coordinates[] {
  const corners = isJsonObject(value) && Array.isArray(value.coordinates) ? value.coordinates : [];
  return corners.flatMap((corner): Coordinates[] => {
    const [latitude, longitude] = Array.isArray(corner) ? corner : [];
    return typeof latitude === "number" && typeof longitude === "number" ? [{ latitude, longitude }] : [];
  });
}
