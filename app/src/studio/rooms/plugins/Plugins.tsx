import { EmptyState } from "../../../design/states.tsx";
import { useTexts } from "../../../texts/TextsContext.tsx";
import { useRoomTitle } from "../../useRoomTitle.ts";

export function Plugins() {
  const { t } = useTexts();
  useRoomTitle(t("Plugins"));
  return (
    <>
      <h1>{t("Plugins")}</h1>
      <EmptyState title={t("Nothing to see here yet")} />
    </>
  );
}
