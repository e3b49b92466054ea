import { QueryState, SkeletonList, useTranslation } from "@purse/ui";
import { Link } from "@tanstack/react-router";
import type { AbiFunction } from "viem";
import { useServerQuery } from "../../query/useServerQuery.ts";
import { signatureOf } from "./abi.ts";
import { decodeResult, encodeCall } from "./callData.ts";
import { type RpcRequest, tryCall } from "./contractInfo.ts";
import { DecodedValue } from "./DecodedValue.tsx";

/** Functions that are read at most. */
const MAX_VALUES = 24;

export interface ContractValuesProps {
  /** The key of the contract. */
  contract: string;
  address: string;
  reads: readonly AbiFunction[];
  request: RpcRequest;
}

/** The values of all read functions without arguments; functions that revert are left out. */
export function ContractValues({ contract, address, reads, request }: ContractValuesProps) {
  const { t } = useTranslation();
  const getters = gettersOf(reads);
  const values = useServerQuery({
    queryKey: getters.length > 0 ? ["contract values", contract, getters.map(signatureOf)] : undefined,
    queryFn: () => Promise.all(getters.map((item) => readValue(item, address, request))),
  });
  if (getters.length === 0) return null;
  return (
    <section className="card stack" aria-labelledby="values">
      <h2 id="values">{t("Current values")}</h2>
      <QueryState
        query={values}
        label={t("Loading values")}
        skeleton={<SkeletonList rows={Math.min(getters.length, 6)} label={t("Loading values")} />}
      >
        {(all) => (
          <dl className="decoded-values contract-values">
            {getters.map((item, i) => {
              const decoded = all[i];
              if (!decoded) return null;
              return (
                <div key={signatureOf(item)}>
                  <dt>
                    <Link
                      to="/contract"
                      search={(before) => ({
                        address: before.address,
                        chain: before.chain,
                        fn: signatureOf(item),
                      })}
                      resetScroll={false}
                    >
                      {item.name}
                    </Link>
                  </dt>
                  <dd>
                    {item.outputs.map((parameter, at) => (
                      // biome-ignore lint/suspicious/noArrayIndexKey: outputs are identified by position.
                      <DecodedValue key={at} parameter={parameter} value={decoded[at]} />
                    ))}
                  </dd>
                </div>
              );
            })}
          </dl>
        )}
      </QueryState>
    </section>
  );
}

/** The functions that take no arguments and return something. */
function gettersOf(reads: readonly AbiFunction[]): AbiFunction[] {
  return reads
    .filter(({ inputs, outputs }) => inputs.length === 0 && outputs.length > 0)
    .slice(0, MAX_VALUES);
}

async function readValue(
  item: AbiFunction,
  address: string,
  request: RpcRequest,
): Promise<readonly unknown[] | undefined> {
  const response = await tryCall(request, address, encodeCall(item, []));
  try {
    return response === undefined ? undefined : decodeResult(item, response);
  } catch {
    // The function does not exist, or returns something else.
    return undefined;
  }
}
