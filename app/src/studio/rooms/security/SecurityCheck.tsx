import { EmptyState } from "../../../design/states.tsx";
import { useTexts } from "../../../texts/TextsContext.tsx";
import { useRoomTitle } from "../../useRoomTitle.ts";

export function SecurityCheck() {
  const { t } = useTexts();
  useRoomTitle(t("Security check"));
  return (
    <>
      <h1>{t("Security check")}</h1>
      <EmptyState title={t("Nothing to see here yet")} />
    </>
  );
}
