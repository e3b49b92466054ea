import { NotFound, useTranslation } from "@purse/ui";

export function PageNotFound() {
  const { t } = useTranslation();
  return <NotFound backLabel={t("Back to home")} app="Purse" />;
}
