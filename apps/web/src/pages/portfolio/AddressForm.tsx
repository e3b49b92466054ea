import { Button, explain, useTranslation } from "@purse/ui";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useId, useState } from "react";
import { resolveName } from "../../wallet/domainNames.ts";

/** Opens the portfolio of any address, or of the address that a name stands for. */
export function AddressForm() {
  const { t } = useTranslation();
  const navigate = useNavigate({ from: "/portfolio" });
  const id = useId();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);

  async function addressOf(typed: string): Promise<string | undefined> {
    if (/^0x[0-9a-f]{40}$/i.test(typed)) return typed;
    if (!/^[^\s]+\.[^\s.]{2,}$/u.test(typed)) {
      setProblem(t("Invalid address: expected 0x followed by 40 hex characters."));
      return undefined;
    }
    try {
      const address = await resolveName(typed);
      if (address === null) setProblem(t("This name does not resolve to an address."));
      return address ?? undefined;
    } catch (error) {
      const { title, detail } = explain(error, t);
      setProblem(`${title}. ${detail}`);
      return undefined;
    }
  }

  async function view(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const typed = new FormData(event.currentTarget).get("address");
    const text = typeof typed === "string" ? typed.trim() : "";
    setProblem(undefined);
    setBusy(true);
    // Without a text, one's own wallet is shown.
    const address = text === "" ? undefined : await addressOf(text);
    setBusy(false);
    if (address === undefined && text !== "") return;
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
