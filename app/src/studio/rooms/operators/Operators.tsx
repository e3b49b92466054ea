import { EmptyState } from "../../../design/states.tsx";
import { useTexts } from "../../../texts/TextsContext.tsx";
import { useRoomTitle } from "../../useRoomTitle.ts";

export function Operators() {
  const { t } = useTexts();
  useRoomTitle(t("Operators"));
  return (
    <>
      <h1>{t("Operators")}</h1>
      <EmptyState title={t("Nothing to see here yet")} />
    </>
  );
}
