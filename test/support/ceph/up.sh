#!/bin/bash
# up.sh DIR PORT: Ceph with its S3 gateway on one machine, on loopback, all of its data in memory. It needs Debian's radosgw,
# ceph-mon, ceph-osd, ceph-mgr and ceph-common.
set -euo pipefail
dir=$1 port=$2 mon=v2:127.0.0.1:16789
mkdir -p "$dir"/{mon,mgr,osd,run,log,rgw}
fsid=$(cat /proc/sys/kernel/random/uuid)
cat >"$dir/ceph.conf" <<CONF
[global]
fsid = $fsid
mon initial members = a
mon host = $mon
public addr = 127.0.0.1
cluster addr = 127.0.0.1
auth cluster required = none
auth service required = none
auth client required = none
osd pool default size = 1
osd pool default min size = 1
mon allow pool size one = true
osd crush chooseleaf type = 0
osd pool default pg num = 8
mon pg warn min per osd = 0
mon max pg per osd = 1000
mon data avail warn = 1
mon data avail crit = 1
osd objectstore = memstore
memstore device bytes = 8589934592
osd memory target = 1073741824
run dir = $dir/run
admin socket = $dir/run/\$name.asok
pid file = $dir/run/\$name.pid
log file = $dir/log/\$name.log
keyring = /dev/null
ms mon client mode = crc
ms client mode = crc
ms cluster mode = crc
ms service mode = crc
ms mon cluster mode = crc
ms mon service mode = crc
ms bind port min = 16800
ms bind port max = 16900
[mon.a]
ms bind msgr1 = false
mon data = $dir/mon
mon addr = 127.0.0.1:16789
[mgr.x]
mgr data = $dir/mgr
[osd.0]
osd data = $dir/osd
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:$port
rgw dns name = localhost
rgw data = $dir/rgw
rgw enable usage log = false
rgw enable ops log = false
CONF
export CEPH_CONF=$dir/ceph.conf

wait_for() {
  for _ in $(seq 120); do
    if "$@" >/dev/null 2>&1; then return; fi
    sleep 0.5
  done
  echo "Ceph does not answer: $*" >&2
  exit 1
}
osd_is_up() { ceph osd stat | grep -q '1 up'; }

monmaptool --create --addv a "[$mon]" --fsid "$fsid" "$dir/monmap"
ceph-mon --mkfs -i a --monmap "$dir/monmap"
ceph-mon -i a
ceph-mgr -i x
osd=$(cat /proc/sys/kernel/random/uuid)
ceph osd create "$osd"
ceph-osd -i 0 --mkfs --osd-uuid "$osd"
ceph-osd -i 0
wait_for osd_is_up
radosgw -n client.rgw
wait_for curl -s "http://127.0.0.1:$port/"
radosgw-admin -n client.admin user create --uid=test --display-name=test --access-key="$ACCESS_KEY" --secret="$SECRET_KEY"
