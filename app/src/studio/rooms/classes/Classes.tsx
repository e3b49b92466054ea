import { EmptyState } from "../../../design/states.tsx";
import { useTexts } from "../../../texts/TextsContext.tsx";
import { useRoomTitle } from "../../useRoomTitle.ts";

export function Classes() {
  const { t } = useTexts();
  useRoomTitle(t("Classes"));
  return (
    <>
      <h1>{t("Classes")}</h1>
      <EmptyState title={t("Nothing to see here yet")} />
    </>
  );
}
