import { expect, test } from './bench'

test.describe('front panel', () => {
  test('shows an idle supply without output', async ({ panel, capture }) => {
    await expect(panel.getByRole('status')).toHaveText('idle')
    await expect(panel.getByText('0.00 V')).toBeVisible()
    await capture('idle')
  })

  test('shows voltage and current of a running supply', async ({ panel, capture }) => {
    await panel.getByRole('button', { name: 'Start' }).click()
    await expect(panel.getByRole('status')).toHaveText('running')
    await expect(panel.getByText('12.00 V')).toBeVisible()
    await expect(panel.getByText('0.50 A')).toBeVisible()
    await capture('running')
  })

  test('stops the output', async ({ panel }) => {
    await panel.getByRole('button', { name: 'Start' }).click()
    await expect(panel.getByRole('status')).toHaveText('running')
    await panel.getByRole('button', { name: 'Stop' }).click()
    await expect(panel.getByRole('status')).toHaveText('idle')
  })
})
