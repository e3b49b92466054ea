import { isJsonObject, type JsonValue } from "@purse/protocol";
import { TextArea } from "../../../../design/Field.tsx";
import { useTranslation } from "../../../../i18n/TranslationContext.tsx";
import type { EditorProps } from "./editor.ts";
import { Globe, type Spot } from "./Globe.tsx";

/** An area by its corners, and how it lies on the earth. */
export function PolygonEditor({ text, onText, read }: EditorProps) {
  const { t } = useTranslation();
  const spots = read.problem === undefined ? spotsOf(read.value) : [];
  return (
    <>
      <div className="mono-field">
        <TextArea
          label={t("Corners")}
          hint={t("[[latitude, longitude], …], three at least; empty takes the value away.")}
          rows={6}
          value={text}
          problem={read.problem}
          spellCheck={false}
          onChange={(event) => onText(event.target.value)}
        />
      </div>
      {spots.length > 0 && <Globe spots={spots} />}
    </>
  );
}

function spotsOf(value: JsonValue): Spot[] {
  const corners = isJsonObject(value) && Array.isArray(value.coordinates) ? value.coordinates : [];
  return corners.flatMap((corner): Spot[] => {
    const [latitude, longitude] = Array.isArray(corner) ? corner : [];
    return typeof latitude === "number" && typeof longitude === "number" ? [{ latitude, longitude }] : [];
  });
}
