import { NotFound, useTranslation } from "@purse/ui";
import { usePageTitle } from "../usePageTitle.ts";

export function PageNotFound() {
  const { t } = useTranslation();
  usePageTitle("Not found");
  return <NotFound backLabel={t("Back to home")} app="Purse" />;
}
