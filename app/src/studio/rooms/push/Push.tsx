import { EmptyState } from "../../../design/states.tsx";
import { useTexts } from "../../../texts/TextsContext.tsx";
import { useRoomTitle } from "../../useRoomTitle.ts";

export function Push() {
  const { t } = useTexts();
  useRoomTitle(t("Push"));
  return (
    <>
      <h1>{t("Push")}</h1>
      <EmptyState title={t("Nothing to see here yet")} />
    </>
  );
}
