import { EmptyState } from "../../../design/states.tsx";
import { useTexts } from "../../../texts/TextsContext.tsx";
import { useRoomTitle } from "../../useRoomTitle.ts";

export function Mail() {
  const { t } = useTexts();
  useRoomTitle(t("Mail"));
  return (
    <>
      <h1>{t("Mail")}</h1>
      <EmptyState title={t("Nothing to see here yet")} />
    </>
  );
}
