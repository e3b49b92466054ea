import { Link } from "@tanstack/react-router";
import { Moment } from "../../design/Moment.tsx";
import { useTexts } from "../../texts/TextsContext.tsx";
import { recentCalls } from "./kept.ts";

/** The last calls of this browser to a contract, to be made again. */
export function Recent({ contract }: { contract: string }) {
  const { t } = useTexts();
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
              <Moment at={call.at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
