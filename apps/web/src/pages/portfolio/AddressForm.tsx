import { Button, useTranslation } from "@purse/ui";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useId, useState } from "react";
import { isDomainName, resolveName } from "../../wallet/domainNames.ts";

/** Opens the portfolio of any address, or of the address that a name stands for. */
export function AddressForm() {
  const { t } = useTranslation();
  const navigate = useNavigate({ from: "/portfolio" });
  const id = useId();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);

  async function addressOf(typed: string): Promise<string | undefined> {
    if (/^0x[0-9a-f]{40}$/i.test(typed)) return typed;
    if (!isDomainName(typed)) {
      setProblem(t("Invalid address: expected 0x followed by 40 hex characters."));
      return undefined;
    }
    try {
      const address = await resolveName(typed);
      if (address === null) setProblem(t("This name does not resolve to an address."));
      return address ?? undefined;
    } catch {
      setProblem(t("This name could not be resolved. Try again, or paste the address."));
      return undefined;
    }
  }

  async function view(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const typed = new FormData(form).get("address");
    const text = typeof typed === "string" ? typed.trim() : "";
    setProblem(undefined);
    setBusy(true);
    // Without a text, one's own wallet is shown.
    const address = text === "" ? undefined : await addressOf(text);
    setBusy(false);
    // The user may have left the page while the name was looked up.
    if ((address === undefined && text !== "") || !form.isConnected) return;
    await navigate({ search: (before) => ({ ...before, address }) });
  }

  return (
    <form className="look-at" onSubmit={(event) => void view(event)} noValidate>
      <input
        name="address"
        aria-label={t("Address to view")}
        aria-invalid={problem !== undefined}
        aria-describedby={problem === undefined ? undefined : `${id}-problem`}
        placeholder={t("View another address, 0x… or ada.eth")}
        spellCheck={false}
        autoCapitalize="none"
        autoComplete="off"
      />
      <Button small type="submit" busy={busy}>
        {t("View")}
      </Button>
      {problem !== undefined && (
        <span id={`${id}-problem`} className="problem" role="alert">
          {problem}
        </span>
      )}
    </form>
  );
}
