import { EmptyState } from "../../../design/states.tsx";
import { useTexts } from "../../../texts/TextsContext.tsx";
import { useRoomTitle } from "../../useRoomTitle.ts";

export function Jobs() {
  const { t } = useTexts();
  useRoomTitle(t("Jobs"));
  return (
    <>
      <h1>{t("Jobs")}</h1>
      <EmptyState title={t("Nothing to see here yet")} />
    </>
  );
}
