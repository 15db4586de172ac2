import { expect, test } from './bench'

const FULL_LOAD_OHMS = 8
const OVERLOAD_OHMS = 4

test.describe('over-current protection', () => {
  test('switches the output off at an overload', async ({ device, panel, capture }) => {
    await panel.getByRole('button', { name: 'Start' }).click()
    await expect(panel.getByRole('status')).toHaveText('running')
    device.connectLoad(OVERLOAD_OHMS)
    await expect(panel.getByRole('status')).toHaveText('fault', { timeout: 1_000 })
    await capture('fault')
  })

  test('leaves the output on at full load', async ({ device, panel }) => {
    device.connectLoad(FULL_LOAD_OHMS)
    await panel.getByRole('button', { name: 'Start' }).click()
    await expect(panel.getByText('1.50 A')).toBeVisible()
    await expect(panel.getByRole('status')).toHaveText('running')
  })
})
