import http from 'node:http'

type ClientRequestClass = typeof http.ClientRequest

/**
 * Node's own `ClientRequest`: nock replaces the class by one that inherits from it, and MSW by a proxy of it, in the process
 * of the tests, which is the reporter's too under `jest --runInBand`.
 */
export function findClientRequest(): ClientRequestClass {
  let prototype = http.ClientRequest.prototype as object
  for (;;) {
    const parent = Object.getPrototypeOf(prototype) as object | null
    if (parent === null || parent === http.OutgoingMessage.prototype) break
    prototype = parent
  }
  return prototype.constructor as ClientRequestClass
}
