import { useTranslation } from "@purse/ui";
import { Page } from "../../components/Page.tsx";
import { SearchTabs } from "../../components/SearchTabs.tsx";
import { useHasRole } from "../../StudioContext.tsx";
import { Account } from "./Account.tsx";
import { OperatorTable } from "./OperatorTable.tsx";

/** The operator's own account, and for owners all operators. */
export function Operators() {
  const { t } = useTranslation();
  const isOwner = useHasRole("owner");
  return (
    <Page
      title={t("Operators")}
      description={t("Accounts with access to the studio, separate from app users")}
    >
      {isOwner ? (
        <SearchTabs
          label={t("Operators")}
          tabs={[
            { key: "operators", label: t("All operators"), content: () => <OperatorTable /> },
            { key: "account", label: t("My account"), content: () => <Account /> },
          ]}
        />
      ) : (
        <Account />
      )}
    </Page>
  );
}
