import { test as base, type Page } from '@playwright/test'
import { serveFrontPanel } from '../device/front-panel'
import { PowerSupply } from '../device/power-supply'

// A unit whose protection was never adjusted: set EXAMPLE_FAIL=1 to see it fail on record.
const isMisadjusted = process.env.EXAMPLE_FAIL === '1'

interface Bench {
  /** Current above which the unit on the bench switches its output off. */
  tripAtAmps: number
  device: PowerSupply
  panel: Page
  /** Puts a screenshot of the panel on record under this name. */
  capture: (name: string) => Promise<void>
}

/** Every test gets a device of its own and a browser on its front panel. */
export const test = base.extend<Bench>({
  tripAtAmps: [isMisadjusted ? 5 : 2, { option: true }],
  device: async ({ tripAtAmps }, use) => {
    await use(new PowerSupply(tripAtAmps))
  },
  panel: async ({ device, page }, use) => {
    const frontPanel = await serveFrontPanel(device, 'device/front-panel.html')
    await page.goto(frontPanel.url)
    await use(page)
    await frontPanel.close()
  },
  capture: async ({ panel }, use, testInfo) => {
    await use(async (name) => {
      await testInfo.attach(name, { body: await panel.screenshot(), contentType: 'image/png' })
    })
  },
})

export { expect } from '@playwright/test'
