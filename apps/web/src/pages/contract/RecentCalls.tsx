import { RelativeTime, useTranslation } from "@purse/ui";
import { Link } from "@tanstack/react-router";
import { recentCalls } from "./contractStorage.ts";

/** Recent calls of this contract, to repeat them. */
export function RecentCalls({ contract }: { contract: string }) {
  const { t } = useTranslation();
  const calls = recentCalls(contract);
  if (calls.length === 0) return null;
  return (
    <section className="card stack" aria-labelledby="recent">
      <h2 id="recent">{t("Recent calls")}</h2>
      <ul className="list">
        {calls.map((call) => (
          <li key={`${call.fn}/${call.args}/${call.value}`} className="transfer">
            <Link
              to="/contract"
              search={(before) => ({
                address: before.address,
                chain: before.chain,
                fn: call.fn,
                args: call.args,
                value: call.value || undefined,
              })}
              className="clip"
            >
              <code>
                {call.fn.split("(")[0]} {call.args.slice(0, 120)}
              </code>
            </Link>
            <span className="small soft">
              <RelativeTime at={call.at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
