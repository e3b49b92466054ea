import { EmptyState } from "../../../design/states.tsx";
import { useTexts } from "../../../texts/TextsContext.tsx";
import { useRoomTitle } from "../../useRoomTitle.ts";

export function Files() {
  const { t } = useTexts();
  useRoomTitle(t("Files"));
  return (
    <>
      <h1>{t("Files")}</h1>
      <EmptyState title={t("Nothing to see here yet")} />
    </>
  );
}
