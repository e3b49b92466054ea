import { Address } from "../../design/Address.tsx";
import { Button } from "../../design/Button.tsx";
import { Notice } from "../../design/Status.tsx";
import { useTranslation } from "../../i18n/TranslationContext.tsx";
import type { Sendable } from "./sendable.ts";
import type { Recipient } from "./useRecipient.ts";

const UNCHECKED_TITLES = {
  past: "This address could not be compared with those you have sent to",
  book: "This address could not be compared with your address book",
  code: "Whether this address is a contract could not be checked",
} as const;

/** What should be known of a recipient before anything is sent there. */
export function RecipientNotes({
  recipient,
  account,
  item,
}: {
  recipient: Recipient;
  account: string;
  item: Sendable;
}) {
  const { t } = useTranslation();
  const { address, name, lookalike, unchecked } = recipient;
  if (!address) return <div className="recipient-notes" role="status" />;
  const lower = address.toLowerCase();
  const isToken = lower === item.contract?.toLowerCase();
  return (
    <div className="recipient-notes stack tight" role="status">
      {name && (
        <div className="small">
          <bdi className="strong">{name.slice(0, 80)}</bdi>
          <Address address={address} />
        </div>
      )}
      {lookalike && (
        <Notice kind="danger" title={t("It looks like an address that you know, and is another")}>
          {lookalike.name && <bdi className="strong">{lookalike.name.slice(0, 80)}</bdi>}
          <Address address={lookalike.address} />
          {t("Compare every group. Such addresses are made to be copied by mistake.")}
        </Notice>
      )}
      {unchecked && !lookalike && (
        <Notice
          kind="warning"
          title={t(UNCHECKED_TITLES[unchecked.what])}
          action={
            <Button small busy={unchecked.isFetching} onClick={unchecked.retry}>
              {t("Try again")}
            </Button>
          }
        >
          {t("Compare the whole address with its source.")}
        </Notice>
      )}
      {isToken ? (
        <Notice kind="danger" title={t("This is the token's own contract")}>
          {t("What is sent there is lost.")}
        </Notice>
      ) : recipient.isContract ? (
        <Notice kind="warning" title={t("This is a contract, not a wallet")}>
          {t("Send only what it is made to receive.")}
        </Notice>
      ) : null}
      {lower === account.toLowerCase() && (
        <Notice kind="info" title={t("This is your own address")}>
          {t("Nothing would change but the fee.")}
        </Notice>
      )}
    </div>
  );
}
