import type { Environment } from './options'

/** The only place in core that reads `process.env`. */
export function readProcessEnvironment(): Environment {
  return process.env
}
