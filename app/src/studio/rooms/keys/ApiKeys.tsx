import { EmptyState } from "../../../design/states.tsx";
import { useTexts } from "../../../texts/TextsContext.tsx";
import { useRoomTitle } from "../../useRoomTitle.ts";

export function ApiKeys() {
  const { t } = useTexts();
  useRoomTitle(t("API keys"));
  return (
    <>
      <h1>{t("API keys")}</h1>
      <EmptyState title={t("Nothing to see here yet")} />
    </>
  );
}
