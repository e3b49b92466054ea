import type { JsonObject } from "@purse/protocol";
import { Status, useTranslation } from "@purse/ui";
import { stringField } from "../../components/fields.ts";

/** The description of a stream, or else its tag or id. */
export function streamName(row: JsonObject): string {
  return stringField(row, "description") || stringField(row, "tag") || stringField(row, "objectId");
}

/** Whether a stream is active, and whether its last delivery failed. */
export function StreamStatus({ row }: { row: JsonObject }) {
  const { t } = useTranslation();
  if (stringField(row, "status") === "paused") return <Status kind="idle">{t("Paused")}</Status>;
  if (stringField(row, "statusMessage") !== "") return <Status kind="danger">{t("Failing")}</Status>;
  return <Status kind="ok">{t("Active")}</Status>;
}
