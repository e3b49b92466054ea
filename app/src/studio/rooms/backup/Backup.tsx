import { EmptyState } from "../../../design/states.tsx";
import { useTexts } from "../../../texts/TextsContext.tsx";
import { useRoomTitle } from "../../useRoomTitle.ts";

export function Backup() {
  const { t } = useTexts();
  useRoomTitle(t("Backup"));
  return (
    <>
      <h1>{t("Backup")}</h1>
      <EmptyState title={t("Nothing to see here yet")} />
    </>
  );
}
