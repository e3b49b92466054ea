import { Tabs } from "../../../design/Tabs.tsx";
import { useTranslation } from "../../../i18n/TranslationContext.tsx";
import { useMay } from "../../StudioContext.tsx";
import { Room } from "../parts/Room.tsx";
import { useUrl } from "../parts/useUrl.ts";
import { Account } from "./Account.tsx";
import { OperatorTable } from "./OperatorTable.tsx";

type Tab = "account" | "operators";

/** The operator's own account, and for owners those of all others. */
export function Operators() {
  const { t } = useTranslation();
  const isOwner = useMay("owner");
  const [shown, setShown] = useUrl("show");
  const tab: Tab = isOwner && shown !== "account" ? "operators" : "account";
  return (
    <Room
      title={t("Operators")}
      about={t("Who works in the studio. Accounts of operators have nothing to do with users of the app.")}
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
    </Room>
  );
}
