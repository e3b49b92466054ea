import { EmptyState } from "../../../design/states.tsx";
import { useTexts } from "../../../texts/TextsContext.tsx";
import { useRoomTitle } from "../../useRoomTitle.ts";

export function Hooks() {
  const { t } = useTexts();
  useRoomTitle(t("Hooks"));
  return (
    <>
      <h1>{t("Hooks")}</h1>
      <EmptyState title={t("Nothing to see here yet")} />
    </>
  );
}
