import { Tabs, useTranslation } from "@purse/ui";
import { Page } from "../../components/Page.tsx";
import { useSearchParam } from "../../components/useSearchParam.ts";
import { useHasRole } from "../../StudioContext.tsx";
import { Account } from "./Account.tsx";
import { OperatorTable } from "./OperatorTable.tsx";

type Tab = "account" | "operators";

/** The operator's own account, and for owners all operators. */
export function Operators() {
  const { t } = useTranslation();
  const isOwner = useHasRole("owner");
  const [shown, setShown] = useSearchParam("show");
  const tab: Tab = isOwner && shown !== "account" ? "operators" : "account";
  return (
    <Page
      title={t("Operators")}
      description={t("Accounts with access to the studio, separate from app users")}
    >
      {isOwner ? (
        <Tabs<Tab>
          label={t("Operators")}
          value={tab}
          onChange={(to) => setShown(to === "operators" ? "" : to)}
          tabs={[
            { key: "operators", label: t("All operators") },
            { key: "account", label: t("My account") },
          ]}
        >
          {tab === "operators" ? <OperatorTable /> : <Account />}
        </Tabs>
      ) : (
        <Account />
      )}
    </Page>
  );
}
