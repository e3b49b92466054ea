import { EmptyState } from "../../../design/states.tsx";
import { useTexts } from "../../../texts/TextsContext.tsx";
import { useRoomTitle } from "../../useRoomTitle.ts";

export function Data() {
  const { t } = useTexts();
  useRoomTitle(t("Data"));
  return (
    <>
      <h1>{t("Data")}</h1>
      <EmptyState title={t("Nothing to see here yet")} />
    </>
  );
}
