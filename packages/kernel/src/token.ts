/**
 * The name of a service, with its type: how a module asks for what another one provides. A module exports the token of its
 * service, and those who need the service import nothing else of it.
 */
export interface Token<Service> {
  readonly name: string;
  /** Whether a module that needs the service opens without it, and then gets undefined. */
  readonly isOptional: boolean;
  /** Never called: it ties the type to the name. */
  readonly service?: () => Service;
}

/** Names a service. Names are unique in a server, such as `push` or `objects`. */
export function token<Service>(name: string): Token<Service> {
  return { name, isOptional: false };
}

/** The token of a service that a module uses if the server has it. */
export function optional<Service>({ name }: Token<Service>): Token<Service | undefined> {
  return { name, isOptional: true };
}

interface Provided<Service> {
  name: string;
  service: Service;
}

/** The services of a server by token. */
export class ServiceRegistry {
  readonly #provided = new Map<string, Provided<unknown>>();

  /** Throws Error if the service is there already. */
  provide<Service>({ name }: Token<Service>, service: Service): void {
    if (this.#provided.has(name)) throw new Error(`The service "${name}" is provided twice`);
    this.#provided.set(name, { name, service });
  }

  has({ name }: Token<unknown>): boolean {
    return this.#provided.has(name);
  }

  /** Throws Error if nothing provides the service. */
  get<Service>(wanted: Token<Service>): Service {
    const { name, isOptional } = wanted;
    const provided = this.#provided.get(name) ?? (isOptional ? { name, service: undefined } : undefined);
    if (isOf(wanted, provided)) return provided.service;
    throw new Error(`Nothing provides the service "${name}"`);
  }
}

/** A name is provided with the type of its token only, so the name decides. */
function isOf<Service>(
  { name }: Token<Service>,
  provided: Provided<unknown> | undefined,
): provided is Provided<Service> {
  return provided?.name === name;
}
