import { EmptyState } from "../../../design/states.tsx";
import { useTexts } from "../../../texts/TextsContext.tsx";
import { useRoomTitle } from "../../useRoomTitle.ts";

export function Permissions() {
  const { t } = useTexts();
  useRoomTitle(t("Permissions"));
  return (
    <>
      <h1>{t("Permissions")}</h1>
      <EmptyState title={t("Nothing to see here yet")} />
    </>
  );
}
