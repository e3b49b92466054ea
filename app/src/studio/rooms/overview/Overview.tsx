import { EmptyState } from "../../../design/states.tsx";
import { useTexts } from "../../../texts/TextsContext.tsx";
import { useRoomTitle } from "../../useRoomTitle.ts";

export function Overview() {
  const { t } = useTexts();
  useRoomTitle(t("Overview"));
  return (
    <>
      <h1>{t("Overview")}</h1>
      <EmptyState title={t("Nothing to see here yet")} />
    </>
  );
}
