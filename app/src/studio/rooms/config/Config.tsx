import { EmptyState } from "../../../design/states.tsx";
import { useTexts } from "../../../texts/TextsContext.tsx";
import { useRoomTitle } from "../../useRoomTitle.ts";

export function Config() {
  const { t } = useTexts();
  useRoomTitle(t("Config"));
  return (
    <>
      <h1>{t("Config")}</h1>
      <EmptyState title={t("Nothing to see here yet")} />
    </>
  );
}
