# 'nncost list' prints the devices, models and software profiles that have an id.

# Prints devices in all formats. An unknown value is "-" or null.
$ nncost list devices
id     year          peak in     memory  bandwidth ridge       link price/h measured aliases
fitted 2022 200.0 TFLOP/s bf16 20.00 GB 2.000 TB/s   100 200.0 GB/s 2 USD   steps    fit, fitted-2..
old    2010 50.00 TFLOP/s fp16 5.000 GB 500.0 GB/s   100 25.00 GB/s -       none
round  2020 100.0 TFLOP/s bf16 10.00 GB 1.000 TB/s   100 100.0 GB/s 1 USD   none
left out: name; cut: aliases (a width of 100, see COLUMNS)
$ nncost list devices --format markdown
| id | name | year | peak | in | memory | bandwidth | ridge | link | price/h | measured | aliases |
|:---|:---|---:|---:|:---|---:|---:|---:|---:|:---|:---|:---|
| fitted | A device of round efficiencies | 2022 | 200.0 TFLOP/s | bf16 | 20.00 GB | 2.000 TB/s | 100 | 200.0 GB/s | 2 USD | steps | fit, fitted-20gb |
| old | An old device without bf16 | 2010 | 50.00 TFLOP/s | fp16 | 5.000 GB | 500.0 GB/s | 100 | 25.00 GB/s | - | none |  |
| round | A device of round figures | 2020 | 100.0 TFLOP/s | bf16 | 10.00 GB | 1.000 TB/s | 100 | 100.0 GB/s | 1 USD | none |  |
$ nncost list devices --format csv
id,name,year,precision,peak_flops_per_s,mem_bytes,mem_bytes_per_s,ridge_flops_per_byte,link_bytes_per_s,price_per_device_hour,currency,fitted,basis,aliases\r
fitted,A device of round efficiencies,2022,bf16,2e14,20000000000,2e12,100,200000000000,2,USD,true,steps,"fit, fitted-20gb"\r
old,An old device without bf16,2010,fp16,5e13,5000000000,500000000000,100,25000000000,,USD,false,none,\r
round,A device of round figures,2020,bf16,1e14,10000000000,1e12,100,100000000000,1,USD,false,none,\r
$ nncost list devices --format json
{
  "schema": "nncost.devices/1",
  "devices": [
    {"id": "fitted", "name": "A device of round efficiencies", "year": 2022, "precision": "bf16", "peak_flops_per_s": 2e14, "mem_bytes": 20000000000, "mem_bytes_per_s": 2e12, "ridge_flops_per_byte": 100, "link_bytes_per_s": 200000000000, "price_per_device_hour": 2, "currency": "USD", "fitted": true, "basis": "steps", "aliases": "fit, fitted-20gb"},
    {"id": "old", "name": "An old device without bf16", "year": 2010, "precision": "fp16", "peak_flops_per_s": 5e13, "mem_bytes": 5000000000, "mem_bytes_per_s": 500000000000, "ridge_flops_per_byte": 100, "link_bytes_per_s": 25000000000, "price_per_device_hour": null, "currency": "USD", "fitted": false, "basis": "none", "aliases": ""},
    {"id": "round", "name": "A device of round figures", "year": 2020, "precision": "bf16", "peak_flops_per_s": 1e14, "mem_bytes": 10000000000, "mem_bytes_per_s": 1e12, "ridge_flops_per_byte": 100, "link_bytes_per_s": 100000000000, "price_per_device_hour": 1, "currency": "USD", "fitted": false, "basis": "none", "aliases": ""}
  ]
}

# Prints models in all formats.
$ nncost list models
id       name                            family    parameters  shape                   input
dense    A small decoder                 decoder  107,106,000  8 layers, hidden 1000   1000 tokens
experts  A small mixture of experts      decoder  125,641,000  4 layers, hidden 1000   1000 tokens
segnet   A small U-Net for segmentation  unet          45,942  3 levels, 10 channels   100 pixels
unet     A small diffusion U-Net         unet       9,546,304  2 levels, 100 channels  256 pixels
vision   A small vision transformer      vit      120,616,100  10 layers, hidden 1000  90 pixels
$ nncost list models --format markdown
| id | name | family | parameters | shape | input |
|:---|:---|:---|---:|:---|:---|
| dense | A small decoder | decoder | 107,106,000 | 8 layers, hidden 1000 | 1000 tokens |
| experts | A small mixture of experts | decoder | 125,641,000 | 4 layers, hidden 1000 | 1000 tokens |
| segnet | A small U-Net for segmentation | unet | 45,942 | 3 levels, 10 channels | 100 pixels |
| unet | A small diffusion U-Net | unet | 9,546,304 | 2 levels, 100 channels | 256 pixels |
| vision | A small vision transformer | vit | 120,616,100 | 10 layers, hidden 1000 | 90 pixels |
$ nncost list models --format csv
id,name,family,params,layers,hidden,seq_len,channels,image\r
dense,A small decoder,decoder,107106000,8,1000,1000,0,0\r
experts,A small mixture of experts,decoder,125641000,4,1000,1000,0,0\r
segnet,A small U-Net for segmentation,unet,45942,0,0,0,10,100\r
unet,A small diffusion U-Net,unet,9546304,0,0,0,100,256\r
vision,A small vision transformer,vit,120616100,10,1000,0,0,90\r
$ nncost list models --format json
{
  "schema": "nncost.models/1",
  "models": [
    {"id": "dense", "name": "A small decoder", "family": "decoder", "params": 107106000, "layers": 8, "hidden": 1000, "seq_len": 1000, "channels": 0, "image": 0},
    {"id": "experts", "name": "A small mixture of experts", "family": "decoder", "params": 125641000, "layers": 4, "hidden": 1000, "seq_len": 1000, "channels": 0, "image": 0},
    {"id": "segnet", "name": "A small U-Net for segmentation", "family": "unet", "params": 45942, "layers": 0, "hidden": 0, "seq_len": 0, "channels": 10, "image": 100},
    {"id": "unet", "name": "A small diffusion U-Net", "family": "unet", "params": 9546304, "layers": 0, "hidden": 0, "seq_len": 0, "channels": 100, "image": 256},
    {"id": "vision", "name": "A small vision transformer", "family": "vit", "params": 120616100, "layers": 10, "hidden": 1000, "seq_len": 0, "channels": 0, "image": 90}
  ]
}

# Prints software profiles in all formats.
$ nncost list software
id              release  name
deepspeed-0.14           DeepSpeed, as fused as the default
eager                    Nothing fused
torch-compile            Everything fused
torch-eager              Eager kernels, as fused as the default
vllm                     An engine with round figures
$ nncost list software --format markdown
| id | release | name |
|:---|:---|:---|
| deepspeed-0.14 |  | DeepSpeed, as fused as the default |
| eager |  | Nothing fused |
| torch-compile |  | Everything fused |
| torch-eager |  | Eager kernels, as fused as the default |
| vllm |  | An engine with round figures |
$ nncost list software --format csv
id,date,name\r
deepspeed-0.14,,"DeepSpeed, as fused as the default"\r
eager,,Nothing fused\r
torch-compile,,Everything fused\r
torch-eager,,"Eager kernels, as fused as the default"\r
vllm,,An engine with round figures\r
$ nncost list software --format json
{
  "schema": "nncost.software-list/1",
  "software": [
    {"id": "deepspeed-0.14", "date": "", "name": "DeepSpeed, as fused as the default"},
    {"id": "eager", "date": "", "name": "Nothing fused"},
    {"id": "torch-compile", "date": "", "name": "Everything fused"},
    {"id": "torch-eager", "date": "", "name": "Eager kernels, as fused as the default"},
    {"id": "vllm", "date": "", "name": "An engine with round figures"}
  ]
}

# Prints tables on a narrow terminal and on a wide terminal.
$ COLUMNS=60 nncost list devices
id              peak in     memory  bandwidth measured
fitted 200.0 TFLOP/s bf16 20.00 GB 2.000 TB/s steps
old    50.00 TFLOP/s fp16 5.000 GB 500.0 GB/s none
round  100.0 TFLOP/s bf16 10.00 GB 1.000 TB/s none
left out: name, year, ridge, link, price/h, aliases (a width
of 60, see COLUMNS)
$ COLUMNS=140 nncost list devices
id     name                           year          peak in     memory  bandwidth ridge       link price/h measured aliases
fitted A device of round efficiencies 2022 200.0 TFLOP/s bf16 20.00 GB 2.000 TB/s   100 200.0 GB/s 2 USD   steps    fit, fitted-20gb
old    An old device without bf16     2010 50.00 TFLOP/s fp16 5.000 GB 500.0 GB/s   100 25.00 GB/s -       none
round  A device of round figures      2020 100.0 TFLOP/s bf16 10.00 GB 1.000 TB/s   100 100.0 GB/s 1 USD   none

# The list also has the files in the folders of $NNCOST_PATH and in $XDG_CONFIG_HOME/nncost. If several files have the
# same id, the list has the first file.
$ mkdir -p mine/hw mine/models config/nncost/hw config/nncost/software
$ sed 's/"round"/"mine"/; s/A device of/Mine, of/' toy/hw/round.json >mine/hw/mine.json
$ sed 's/A device of/Another of/' toy/hw/round.json >mine/hw/round.json
$ sed 's/"round"/"theirs"/' toy/hw/round.json >config/nncost/hw/theirs.json
$ cp toy/software/eager.json config/nncost/software
$ export NNCOST_PATH=mine::toy XDG_CONFIG_HOME=$PWD/config; nncost list devices --format csv | cut -d, -f1,2
id,name
fitted,A device of round efficiencies
mine,"Mine
old,An old device without bf16
round,Another of round figures
theirs,A device of round figures
$ HOME=$PWD NNCOST_PATH= XDG_CONFIG_HOME=not-absolute nncost list models
id  name  family  parameters  shape  input
$ mkdir .config && mv config/nncost .config && HOME=$PWD NNCOST_PATH= nncost list devices --format csv | cut -d, -f1,2
id,name
theirs,A device of round figures

# A file that cannot be read is reported, and all readable files are listed. Entries of a folder that are not spec files
# are ignored.
$ mkdir -p mine/models; echo '{' >mine/models/bad.json; mkfifo mine/models/pipe.json
$ NNCOST_PATH=mine:toy nncost list models --format csv | cut -d, -f1
id
dense
experts
segnet
unet
vision
! nncost: mine/models/bad.json:2:1: bad syntax, expected a key in quotes, found the end of the text
! nncost: mine/models/pipe.json: expected a regular file
$ NNCOST_PATH=mine:toy nncost list models >/dev/null
! nncost: mine/models/bad.json:2:1: bad syntax, expected a key in quotes, found the end of the text
! nncost: mine/models/pipe.json: expected a regular file
[1]
$ NNCOST_PATH=mine:toy nncost show pipe
! nncost: mine/models/pipe.json: expected a regular file
[4]

# There is no list of prices, because 'nncost list devices' and 'nncost show' print them.
$ nncost list prices
! nncost: list: unknown list: 'nncost list devices' prints one price of each device, 'nncost show DEVICE' all prices of a device, found "prices"
[2]
