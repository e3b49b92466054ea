import { EmptyState } from "../../../design/states.tsx";
import { useTexts } from "../../../texts/TextsContext.tsx";
import { useRoomTitle } from "../../useRoomTitle.ts";

export function Audit() {
  const { t } = useTexts();
  useRoomTitle(t("Audit"));
  return (
    <>
      <h1>{t("Audit")}</h1>
      <EmptyState title={t("Nothing to see here yet")} />
    </>
  );
}
