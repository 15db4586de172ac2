import { Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createTurns } from './connections'

const FOUR = [0, 1, 2, 3]

function createArrivals() {
  const begin = createTurns()
  const begun: number[] = []
  const arrive = (number: number) => {
    const socket = new Socket()
    begin({ socket, go: () => void begun.push(number) })
    return socket
  }
  return { begun, arrive }
}

it('begins four at once, and the others in their order, four in each turn', async () => {
  const { begun, arrive } = createArrivals()
  for (let number = 0; number < 14; number += 1) arrive(number)
  expect(begun).toEqual(FOUR)
  for (const most of [8, 12, 14]) {
    await nextTurn()
    expect(begun).toEqual(Array.from({ length: most }, (_, number) => number))
  }
})

it('begins at once again when nothing came for some turns', async () => {
  const { begun, arrive } = createArrivals()
  for (const number of FOUR) arrive(number)
  await nextTurn()
  await nextTurn()
  arrive(4)
  expect(begun).toEqual([...FOUR, 4])
})

it('leaves out those whose client has gone, and gives their places to others', async () => {
  const { begun, arrive } = createArrivals()
  const sockets = Array.from({ length: 100 }, (_, number) => arrive(number))
  for (const socket of sockets.slice(4, 98)) socket.destroy()
  await nextTurn()
  expect(begun).toEqual([...FOUR, 98, 99])
})
