import { EmptyState } from "../../../design/states.tsx";
import { useTexts } from "../../../texts/TextsContext.tsx";
import { useRoomTitle } from "../../useRoomTitle.ts";

export function Chains() {
  const { t } = useTexts();
  useRoomTitle(t("Chains"));
  return (
    <>
      <h1>{t("Chains")}</h1>
      <EmptyState title={t("Nothing to see here yet")} />
    </>
  );
}
