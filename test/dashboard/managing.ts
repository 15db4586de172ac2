import type { Locator } from 'playwright-core'
import { expect } from 'vitest'
import type { Service } from '../support/service'

/** Types into a field that got the focus when it appeared. */
export async function typeAtOnce(field: Locator, text: string): Promise<void> {
  await field.and(field.page().locator(':focus')).waitFor()
  await field.page().keyboard.type(text)
}

export async function list<Item>(service: Service, pathname: string): Promise<Item[]> {
  return ((await (await service.get(pathname)).json()) as { data: Item[] }).data
}

/** Presses Enter there, and waits until the service has made the change. */
export async function save(target: Locator, method: string): Promise<void> {
  const answer = target.page().waitForResponse((response) => response.request().method() === method)
  await target.press('Enter')
  expect((await answer).status()).toBe(200)
}
