import { EmptyState } from "../../../design/states.tsx";
import { useTexts } from "../../../texts/TextsContext.tsx";
import { useRoomTitle } from "../../useRoomTitle.ts";

export function Roles() {
  const { t } = useTexts();
  useRoomTitle(t("Roles"));
  return (
    <>
      <h1>{t("Roles")}</h1>
      <EmptyState title={t("Nothing to see here yet")} />
    </>
  );
}
