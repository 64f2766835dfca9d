#!/usr/bin/env bash
# Fetches SCAN (Lake and Baroni 2018), commands and the actions they ask for: https://github.com/brendenlake/SCAN.
set -euo pipefail
source "$(dirname "$0")/fetching.bash"

usage="Usage: scripts/fetch_scan.sh [BASE]
Puts commands (.src) and actions (.tgt), one a line, into data/scan (5 MB):
  simple/{train,valid,test}         a random split: 15,886, 842 and 4,182 commands
  addprim_jump/{train,valid,test}   'jump' is only ever alone in training: 13,983, 687 and 7,706
  length/{train,valid,test}         at most 22 actions in training, more in the test: 16,138, 852 and 3,920
SCAN has no validation sets: valid has the training commands whose MD5 is a multiple of 20, but never 'jump' alone.
scripts/make_scan_length.sh makes another split by length.
BASE: another place that holds the folders simple_split, add_prim_split and length_split, a URL or a directory."

base=https://raw.githubusercontent.com/brendenlake/SCAN/c4b756cbc010d75c912f16c42c8f15dc6b7e6c8f

for argument in "$@"; do
  case $argument in
    -h | --help) echo "$usage" && exit ;;
    -*) fail "no option '$argument'.
$usage" ;;
    *) base=$(absolute "$argument") ;;
  esac
done
cd "$(dirname "$0")/.."
scratch=$(mktemp --directory)
trap 'rm -rf "$scratch"' EXIT

# A line there is "IN: walk left OUT: I_TURN_LEFT I_WALK".
src() { sed 's/^IN: \(.*\) OUT: .*/\1/'; }
tgt() { sed 's/^IN: .* OUT: //; s/[ \r]*$//'; }

# The lines of a part, which are those of the training file with or without this remainder, or all of the test file.
lines() { # PART
  case $1 in
    train) awk -F '\t' '$1 != 0' "$scratch/train" | cut --fields=2- ;;
    valid) awk -F '\t' '$1 == 0' "$scratch/train" | cut --fields=2- ;;
    test) cat "$scratch/test" ;;
  esac
}
side() { lines "$1" | "$2"; }

# The folder there has another name than the files in it.
fetch_split() { # SPLIT
  local place=$base/$1_split ending=$1
  [[ $1 != addprim_jump ]] || place=$base/add_prim_split
  fetch "$place/tasks_test_$ending.txt" >"$scratch/test" || fail "could not fetch $place/tasks_test_$ending.txt"
  fetch "$place/tasks_train_$ending.txt" >"$scratch/all" || fail "could not fetch $place/tasks_train_$ending.txt"
  src <"$scratch/all" >"$scratch/commands"
  md5_remainders "$scratch/commands" 20 | paste - "$scratch/all" >"$scratch/train"
}

# SPLIT PART SHA256 SHA256: of the commands and of the actions.
part() {
  local file=data/scan/$1/$2
  has_digest "$file.src" "$3" && has_digest "$file.tgt" "$4" && return
  [[ $fetched == "$1" ]] || fetch_split "$1"
  fetched=$1
  make_file "$file.src" "$3" side "$2" src
  make_file "$file.tgt" "$4" side "$2" tgt
}

fetched=''
part simple train \
  141788282a71c354f0ee4ce2201bf9a50efaa06c1bfd6ce2073b32468eda2c57 \
  78bd83f7aa9eba4dc89b063721b735632ffef96339c5b2c4959c3c7769a0ba66
part simple valid \
  822184d41112e68e45bfe16b9bbd4bea795ea62bd8266b57cc7ce9a9063c0971 \
  3d21c323cc86cc62c8a6a0fe33629e5c058766f4f92b1ada93f5ae74d6605a5b
part simple test \
  920507b7d7fe26231aace4f64330e6646b7ca094e0079b5f4910f2022d191da4 \
  e95ce1259beb7bb72faeb4d81e2de551f96504ae22a40b49d659852511dee0d4
part addprim_jump train \
  9e28571b26363643e4627a9553f88ac3e4174834c3e7022404b7ab2dcb676dbc \
  92e83c2a4868e3c235218ed95ef2a884f75fd772f2222beacb45733815f371af
part addprim_jump valid \
  f1f6f5fd96200ed2c20e5ecc3ab00501c13cf88ba7999a77d6cccf179b3d159b \
  91c982872760be8b6c438134d5ed3132f6b930087b35f7a116122b86e28ffccc
part addprim_jump test \
  962ead4fa9a123ce40f6d22803925c434698a92abcb880b5b7f12a2ea84bb6fc \
  a9993ddcf1569ca0332a112816ed78eca8c71e6c99013686b63477b1203edf0b
part length train \
  fbb3f12867c92bb770f8c4c770a27a6dc65d4b1f814d443ef85b81a7c0e525b7 \
  cf9f8528cdda9902ee466be37227513f7e0e2de731fad6127e29f4588ae43e34
part length valid \
  bd446a5c33c8cde02e1b7f848191fccc78971aad91e6c818bd7796f2f46c9e2a \
  cfc5d6bff3819c0cdca76d0af1b3ca3be0f0382c4add7f15bcdca153141595e6
part length test \
  04eab6ada611243e791c86b6118db8c7b3d54b4c5fc569a0f4708ec4c41636cf \
  737858f4d15c5be0a123c2cdbc51e4f5184108b52ac5758a8941dcaaa868ee26
echo "data/scan is complete"
