import { EmptyState } from "../../../design/states.tsx";
import { useTexts } from "../../../texts/TextsContext.tsx";
import { useRoomTitle } from "../../useRoomTitle.ts";

export function Functions() {
  const { t } = useTexts();
  useRoomTitle(t("Functions"));
  return (
    <>
      <h1>{t("Functions")}</h1>
      <EmptyState title={t("Nothing to see here yet")} />
    </>
  );
}
